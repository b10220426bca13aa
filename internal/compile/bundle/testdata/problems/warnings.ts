const a = { b: 1, b: 2 }
if (a === NaN || typeof a === 'strnig') eval('a')
switch (a) { case 1: case 1: }
if (!a in a) -0 === a
//: 1:19 warning SCRIPT_SYNTAX Duplicate key "b" in object literal. The original key "b" is here (line 1).
//: 2:7 warning SCRIPT_SYNTAX Comparison with NaN using the "===" operator here is always false. Floating-point equality is defined such that NaN is never equal to anything, so "x === NaN" always returns false. You need to use "Number.isNaN(x)" instead to test for NaN.
//: 2:31 warning SCRIPT_SYNTAX The "typeof" operator will never evaluate to "strnig".
//: 3:22 warning SCRIPT_SYNTAX This case clause will never be evaluated because it duplicates an earlier case clause. The earlier case clause is here (line 3).
//: 4:5 warning SCRIPT_SYNTAX Suspicious use of the "!" operator inside the "in" operator. The code "!x in y" is parsed as "(!x) in y". You need to insert parentheses to get "!(x in y)" instead.
//: 4:14 warning SCRIPT_SYNTAX Comparison with -0 using the "===" operator will also match 0. Floating-point equality is defined such that 0 and -0 are equal, so "x === -0" returns true for both 0 and -0. You need to use "Object.is(x, -0)" instead to test for -0.
