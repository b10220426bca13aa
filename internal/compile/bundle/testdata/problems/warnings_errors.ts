import 'x'
const a = { b: 1, b: 2 }
//: 1:8 SCRIPT_IMPORT "x" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
//: 2:19 warning SCRIPT_SYNTAX Duplicate key "b" in object literal. The original key "b" is here (line 2).
