import defer * as later from 'x'
import source wasm from 'y'
later.a(wasm)
//: 1:8 SCRIPT_IMPORT import defer and import source cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 1:30 SCRIPT_IMPORT "x" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 2:8 SCRIPT_IMPORT import defer and import source cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 2:25 SCRIPT_IMPORT "y" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
