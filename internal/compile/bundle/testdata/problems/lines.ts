let 'é😀';\x0D
\x0D
//: 1:5 SCRIPT_SYNTAX Expected ";" but found "'é😀'".
