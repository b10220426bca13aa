\xBOMlet b = '\x00'
//: 1:10 SCRIPT_SYNTAX Byte 12 is the character U+0000, which no source may hold. Write \0 in a text.
