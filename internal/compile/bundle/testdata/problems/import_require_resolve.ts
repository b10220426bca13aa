import { createTool } from 'toolsmith'
const b = require.resolve('fs')
//: 2:11 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
