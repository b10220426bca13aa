let é = 1
let a = 'é\xC3('
//: 2:11 SCRIPT_SYNTAX The file is not UTF-8: byte 22 is 0xC3. Save it as UTF-8.
