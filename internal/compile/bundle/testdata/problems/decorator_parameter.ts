class A { f(@inject x: any) {} }
//: 1:13 SCRIPT_SYNTAX A decorator stands before a parameter, which only the decorators of old allow. Put it before a class or a member.
