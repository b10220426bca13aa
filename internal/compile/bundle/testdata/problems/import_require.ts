const a = require('fs')
const b = require.resolve('fs')
const c = require
try { require(a) } catch {}
require('./' + a)
require(a, b)
require('toolsmith')
typeof require
//: 1:19 SCRIPT_IMPORT require("fs") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 3:11 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 4:7 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 5:9 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 6:1 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 7:9 SCRIPT_IMPORT require("toolsmith") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 8:8 SCRIPT_IMPORT require cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
