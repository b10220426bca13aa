let a = 1 +
//: 2:1 SCRIPT_SYNTAX Unexpected end of file.
