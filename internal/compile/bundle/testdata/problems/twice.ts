let a = 1
const b = 2
let a = 3
b = 4
//: 3:5 SCRIPT_SYNTAX The symbol "a" has already been declared. The symbol "a" was originally declared here (line 1).
//: 4:1 SCRIPT_SYNTAX Cannot assign to "b" because it is a constant. The symbol "b" was declared a constant here (line 2).
