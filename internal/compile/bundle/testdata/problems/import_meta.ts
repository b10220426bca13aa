console.log(import.meta.url)
export const worker = new URL('./worker.js', import.meta.url)
import.meta.glob('*')
try { import.meta } catch {}
//: 1:13 SCRIPT_IMPORT import.meta cannot be used: a tool has no address and no files beside it.
//: 2:46 SCRIPT_IMPORT import.meta cannot be used: a tool has no address and no files beside it.
//: 3:1 SCRIPT_IMPORT import.meta cannot be used: a tool has no address and no files beside it.
//: 4:7 SCRIPT_IMPORT import.meta cannot be used: a tool has no address and no files beside it.
