export const page = <div>{'hello'}</div>; let a = ;
//: 1:34 SCRIPT_SYNTAX Expected ":" but found "}".
