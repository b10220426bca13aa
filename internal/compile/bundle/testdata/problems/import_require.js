const { createTool } = require('toolsmith')
module.exports = createTool({})
//: 1:32 SCRIPT_IMPORT require("toolsmith") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
