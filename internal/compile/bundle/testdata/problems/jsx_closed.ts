export const page = <div/>
//: 1:25 SCRIPT_SYNTAX This looks like JSX, which a tool cannot hold: it has no page to show it on.
