let a = 1
let b = 'é\x00'
//: 2:11 SCRIPT_SYNTAX Byte 21 is the character U+0000, which no source may hold. Write \0 in a text.
