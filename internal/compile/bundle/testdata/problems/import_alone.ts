import { createTol as a } from 'toolsmith'
import b from 'toolsmith'
import * as all from 'toolsmith'
a(b, all.zap)
//: 1:10 SCRIPT_IMPORT "toolsmith" has nothing called "createTol". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
//: 2:8 SCRIPT_IMPORT "toolsmith" has no default export. Write: import { createTool } from "toolsmith".
//: 4:10 SCRIPT_IMPORT "toolsmith" has nothing called "zap". It has createTool, createClientTool, toolCall, message, structured, returns, failure, previous, createSubtasksResult, isSubtasksResult, ToolsmithError.
