import { createTool } from 'toolsmith'
;with (createTool) {}
//: 2:2 SCRIPT_SYNTAX With statements cannot be used in an ECMAScript module. This file is considered to be an ECMAScript module because of the "import" keyword here (line 1).
