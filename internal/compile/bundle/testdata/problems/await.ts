const a = await fetch('https://example.com')
for await (const b of a) {}
//: 1:11 SCRIPT_SYNTAX await stands outside a function. A file is only read to see which tools it declares; put the await into the function of a tool.
//: 2:5 SCRIPT_SYNTAX await stands outside a function. A file is only read to see which tools it declares; put the await into the function of a tool.
