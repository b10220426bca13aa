// Usage: npm run generate -- DOCUMENT [OUT]
//
// Writes the types of an OpenAPI document (JSON) for createApi<paths>(). OUT is src/paths.ts
// unless given; with --check nothing is written, and the exit code is 1 if OUT is not what the
// document makes.
import { readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import openapiTS, { astToString } from 'openapi-typescript'

/** Gives the text of the module with the types of a document. */
export async function typesOf(document) {
  if (typeof document?.openapi !== 'string' || !document.openapi.startsWith('3.')) {
    throw new Error('this is no OpenAPI 3 document: it has no "openapi": "3.…"')
  }
  const text = astToString(await openapiTS(document, { alphabetize: true }))
  return `// Made by "npm run generate" from the OpenAPI document; not to be edited.\n\n${text}`
}

async function main(args) {
  const check = args.includes('--check')
  const [source, out = new URL('../src/paths.ts', import.meta.url)] = args.filter((arg) => arg !== '--check')
  if (source === undefined) {
    console.error('usage: npm run generate -- [--check] DOCUMENT.json [OUT.ts]')
    return 2
  }
  const text = await typesOf(JSON.parse(readFileSync(source, 'utf8')))
  if (!check) {
    writeFileSync(out, text)
    return 0
  }
  if (readFileSync(out, 'utf8') === text) return 0
  console.error(`error: ${out} is not what ${source} makes: run "npm run generate" and commit the result`)
  return 1
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await main(process.argv.slice(2)).catch((error) => {
  console.error(`error: ${error.message}`)
  return 1
})
