import { createTool } from 'toolsmith'
return createTool({})
//: 2:1 SCRIPT_SYNTAX Top-level return cannot be used inside an ECMAScript module. This file is considered to be an ECMAScript module because of the "import" keyword here (line 1).
