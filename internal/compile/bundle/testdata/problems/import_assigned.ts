import { createTool } from 'toolsmith'
createTool = 1
//: 2:1 SCRIPT_SYNTAX Cannot assign to import "createTool".
