let a = ;
//: 1:9 SCRIPT_SYNTAX Unexpected ";".
