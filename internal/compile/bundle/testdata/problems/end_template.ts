let a = `one

//: 3:1 SCRIPT_SYNTAX Unterminated string literal.
