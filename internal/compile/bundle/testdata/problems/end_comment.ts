let a = 1 /* one
//: 2:1 SCRIPT_SYNTAX Expected "*/" to terminate multi-line comment. The multi-line comment starts here (line 1).
