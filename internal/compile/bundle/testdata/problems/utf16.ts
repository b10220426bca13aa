\xFF\xFEl
//: 1:1 SCRIPT_SYNTAX The file is UTF-16, as byte 0 says. Save it as UTF-8.
