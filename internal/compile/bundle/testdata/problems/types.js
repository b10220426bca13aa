let a: number = 1
//: 1:6 SCRIPT_SYNTAX Expected ";" but found ":".
