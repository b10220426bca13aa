//# sourceMappingURL=file:///etc/passwd
let a = 1; let a = 2 //# sourceMappingURL=data:application/json;base64,e30=
//@ sourceMappingURL=file:///etc/hosts
//: 2:16 SCRIPT_SYNTAX The symbol "a" has already been declared. The symbol "a" was originally declared here (line 2).
