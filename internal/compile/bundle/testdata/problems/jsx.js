export const page = <div>{'hello'}</div>
//: 1:21 SCRIPT_SYNTAX This looks like JSX, which a tool cannot hold: it has no page to show it on.
