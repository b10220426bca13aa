let é = '😀'; let é = 2;\x0D
let é = 1;\x0Dlet é = 5\x0D
 let é = 6
//: 1:18 SCRIPT_SYNTAX The symbol "é" has already been declared. The symbol "é" was originally declared here (line 1).
//: 2:5 SCRIPT_SYNTAX The symbol "é" has already been declared. The symbol "é" was originally declared here (line 1).
//: 3:5 SCRIPT_SYNTAX The symbol "é" has already been declared. The symbol "é" was originally declared here (line 1).
//: 4:6 SCRIPT_SYNTAX The symbol "é" has already been declared. The symbol "é" was originally declared here (line 1).
