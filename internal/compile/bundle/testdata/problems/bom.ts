\xBOMlet a = 1; let a = 2
//: 1:16 SCRIPT_SYNTAX The symbol "a" has already been declared. The symbol "a" was originally declared here (line 1).
