import { createTool, createTol } from 'toolsmith'
import { toolCall, unknown as known } from '@taskyon/taskyon/api'
import defaultOne from 'toolsmith'
import * as all from 'toolsmith'
createTol(toolCall, known, defaultOne, all.zap, all.createTool, all['zip'])
import { createTool as again } from 'toolsmith' with { type: 'json' }
again()
//: 1:22 SCRIPT_IMPORT "toolsmith" has nothing called "createTol". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
//: 2:20 SCRIPT_IMPORT "toolsmith" has nothing called "unknown". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
//: 3:8 SCRIPT_IMPORT "toolsmith" has no default export. Write: import { createTool } from "toolsmith".
//: 5:44 SCRIPT_IMPORT "toolsmith" has nothing called "zap". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
//: 5:69 SCRIPT_IMPORT "toolsmith" has nothing called "zip". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
//: 6:37 SCRIPT_IMPORT "toolsmith" is imported without attributes: import { createTool } from "toolsmith".
