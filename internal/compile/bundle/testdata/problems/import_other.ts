import fs from 'fs'
import { readFile } from "node:fs/promises"
import helper from './helper'
import data from './data.json' with { type: 'json' }
import 'side-effect'
import x from 'https://example.com/x.js'
import y from 'data:text/javascript,export default 1'
import z from '/etc/passwd'
import inner from '#inner'
import type { OnlyAType } from 'anything'
import { AlsoAType } from './types'
export { other } from './other'
export * from "./all"
import old = require('old')
fs; readFile; helper; data; x; y; z; inner; old
let typed: OnlyAType | AlsoAType
//: 1:16 SCRIPT_IMPORT "fs" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 2:26 SCRIPT_IMPORT "node:fs/promises" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 3:20 SCRIPT_IMPORT "./helper" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 4:18 SCRIPT_IMPORT "./data.json" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 5:8 SCRIPT_IMPORT "side-effect" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 6:15 SCRIPT_IMPORT "https://example.com/x.js" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 7:15 SCRIPT_IMPORT "data:text/javascript,export default 1" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 8:15 SCRIPT_IMPORT "/etc/passwd" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 9:19 SCRIPT_IMPORT "#inner" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 12:23 SCRIPT_IMPORT "./other" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 13:15 SCRIPT_IMPORT "./all" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 14:22 SCRIPT_IMPORT require("old") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
