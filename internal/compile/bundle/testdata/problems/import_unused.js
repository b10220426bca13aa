import { kept } from './unused'
//: 1:22 SCRIPT_IMPORT "./unused" cannot be imported. A tool is one file, and imports only from "toolsmith" (or "@taskyon/taskyon/api"); put into the file what it needs.
