export async function f(name: string) {
  await import('fs')
  await import(name)
  await import(`./${name}.js`)
  import('toolsmith').catch(() => {})
  try { await import('y') } catch {}
}
//: 2:16 SCRIPT_IMPORT import("fs") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 3:9 SCRIPT_IMPORT import() cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 4:16 SCRIPT_IMPORT import() cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 5:10 SCRIPT_IMPORT import("toolsmith") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
//: 6:22 SCRIPT_IMPORT import("y") cannot be used. A tool imports at its top, and only from Toolsmith: import { createTool } from "toolsmith".
