function f() {
  return 1
//: 3:1 SCRIPT_SYNTAX Unexpected end of file.
