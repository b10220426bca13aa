// Usage: npm run generate -- [--check] [DOCUMENT.json [OUT.ts]]
//
// Writes the types of an OpenAPI document for createApi. Without a document it is that of a server
// that is started for this, of this repository and over an empty folder: so the types have what every
// Toolsmith has, and the tools of nobody. OUT is src/paths.ts unless given; with --check nothing is
// written, and the exit code is 1 if OUT is not what the document makes.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

/** Gives the text of the module with the types of a document. What the document says of its version is no part of it. */
export async function typesOf(document) {
  if (typeof document?.openapi !== 'string' || !document.openapi.startsWith('3.')) {
    throw new Error('this is no OpenAPI 3 document: it has no "openapi": "3.…"')
  }
  // An object of which nothing is said may have anything in it, and not nothing.
  const text = astToString(await openapiTS(document, { alphabetize: true, emptyObjectsUnknown: true }))
  return `// Made by "npm run generate" from the OpenAPI document; not to be edited.\n\n${text}`
}

async function documentOfServer() {
  const { startServer } = await import('./server.ts')
  const server = await startServer()
  try {
    const { status, data } = await server.ask('/resources/peers/local/api')
    if (status !== 200) throw new Error(`the server answers ${status} for its document`)
    return data
  } finally {
    server.stop()
  }
}

async function main(args) {
  const check = args.includes('--check')
  const [source, out = fileURLToPath(new URL('../src/paths.ts', import.meta.url)), ...more] = args.filter((arg) => arg !== '--check')
  if (more.length > 0) {
    console.error('usage: npm run generate -- [--check] [DOCUMENT.json [OUT.ts]]')
    return 2
  }
  const text = await typesOf(source === undefined ? await documentOfServer() : JSON.parse(readFileSync(source, 'utf8')))
  if (!check) {
    writeFileSync(out, text)
    return 0
  }
  if (readFileSync(out, 'utf8') === text) return 0
  console.error(`error: ${out} is not what ${source ?? 'the server'} makes: run "npm run generate" and commit the result`)
  return 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(`error: ${error.message}`)
  return 1
})
