import { ToolsmithError } from './error.ts'
import { byteLength, encode, isObject, pathOf } from './json.ts'

/** One thing that is wrong with a declaration. */
export interface Problem {
  /** Such as `$.parameters.properties.text.type`. */
  readonly path: string
  /** What is wrong, and what would be right. */
  readonly message: string
}

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const versionPattern = /^[A-Za-z0-9._+-]{1,64}$/
const hostPattern = /^(https?:\/\/)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?(:[1-9][0-9]{0,4})?$/
// Control characters, and those that make a text read as something else than it is.
const hidden = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u
const mostOfParameters = 64 * 1024

/** The context methods, as a host may register them. */
export const contextMethods: ReadonlySet<unknown> = new Set(['chain', 'secret', 'setSecret', 'caller', 'ask', 'popup', 'progress', 'fetch'])

type Check = (value: unknown, path: string, add: Add) => void
type Add = (path: string, message: string) => void

const both: { readonly [field: string]: Check } = {
  name: (value, path, add) => {
    if (typeof value !== 'string' || !namePattern.test(value)) add(path, 'it is 1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit')
  },
  title: text(120),
  description: text(1000),
  longDescription: text(20_000),
  version: (value, path, add) => {
    if (typeof value !== 'string' || !versionPattern.test(value)) add(path, 'it is 1 to 64 letters, digits, ".", "_", "+" and "-"')
  },
  parameters: (value, path, add) => {
    schema(value, path, add)
    if (isObject(value) && value['type'] !== 'object') add(`${path}.type`, 'it is "object", since arguments are an object')
    json(value, path, add)
  },
  result: (value, path, add) => {
    schema(value, path, add)
    json(value, path, add)
  },
  renderOptions: (value, path, add) => {
    if (!isObject(value)) add(path, 'they are an object')
    json(value, path, add)
  },
  network: list('an exact host such as "api.example.com", "api.example.com:8443" or "http://intranet"', (item) => hostPattern.test(item)),
  secrets: list('1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit', (item) => namePattern.test(item)),
  calls: list('the name of a tool', (item) => item !== '' && !/\s/.test(item)),
  function: (value, path, add) => {
    if (typeof value !== 'function') add(path, 'it is a function')
  },
}

const client: { readonly [field: string]: Check } = {
  ...both,
  context: list(`one of ${[...contextMethods].join(', ')}`, (item) => contextMethods.has(item)),
  timeout: (value, path, add) => {
    if (!Number.isInteger(value) || (value as number) < 1 || (value as number) > 600_000) add(path, 'it is a whole number of milliseconds from 1 to 600,000')
  },
  readOnly: flag,
  idempotent: flag,
}

/** Lists everything that is wrong with a declaration, in the order of its fields. */
export function declarationProblems(spec: unknown, kind: 'tool' | 'client'): Problem[] {
  if (!isObject(spec)) return [{ path: '$', message: 'it is an object' }]
  const checks = kind === 'tool' ? both : client
  const problems: Problem[] = []
  const add: Add = (path, message) => problems.push({ path, message })
  for (const [field, value] of Object.entries(spec)) {
    const check = Object.hasOwn(checks, field) ? checks[field] : undefined
    if (check === undefined) add(pathOf('$', field), `there is no such field; there are ${Object.keys(checks).join(', ')}`)
    else if (value !== undefined) check(value, pathOf('$', field), add)
  }
  for (const field of ['name', 'description', 'parameters', 'function']) {
    if (spec[field] === undefined) add(pathOf('$', field), 'it has to be given')
  }
  return problems
}

function text(most: number): Check {
  return (value, path, add) => {
    if (typeof value !== 'string' || value.trim() === '') return add(path, 'it is a text that is not blank')
    const length = [...value].length
    if (length > most) add(path, `it has ${length} characters, and at most ${most} are allowed`)
    const found = hidden.exec(value)?.[0]?.codePointAt(0)
    if (found !== undefined) {
      add(path, `it has a character that is not seen, U+${found.toString(16).toUpperCase().padStart(4, '0')}: take it out`)
    }
  }
}

function list(what: string, fits: (item: string) => boolean): Check {
  return (value, path, add) => {
    if (!Array.isArray(value)) return add(path, 'it is a list of texts')
    value.forEach((item: unknown, i) => {
      if (typeof item !== 'string' || !fits(item)) add(pathOf(path, i), `it is ${what}`)
      else if (value.indexOf(item) < i) add(pathOf(path, i), `"${item}" is there twice`)
    })
  }
}

function flag(value: unknown, path: string, add: Add): void {
  if (typeof value !== 'boolean') add(path, 'it is true or false')
}

function json(value: unknown, path: string, add: Add): void {
  try {
    const bytes = byteLength(encode(value, 'DECLARATION_INVALID', path))
    if (bytes > mostOfParameters) add(path, `it has ${bytes} bytes, and at most ${mostOfParameters} are allowed`)
  } catch (thrown) {
    const fault = thrown as ToolsmithError
    const at = fault.field ?? path
    add(at, fault.message.slice(at.length + 2).replace(/\.$/, ''))
  }
}

const typeNames: ReadonlySet<unknown> = new Set(['null', 'boolean', 'integer', 'number', 'string', 'array', 'object'])
const mostDepth = 60

function schema(value: unknown, path: string, add: Add, depth = 0): void {
  if (typeof value === 'boolean' && depth > 0) return
  if (!isObject(value)) return add(path, 'it is a JSON Schema, which is an object')
  if (depth > mostDepth) return add(path, `it is nested deeper than ${mostDepth} levels`)
  checkType(value['type'], `${path}.type`, add)
  checkNames(value, path, add)
  if (value['enum'] !== undefined && (!Array.isArray(value['enum']) || value['enum'].length === 0)) {
    add(`${path}.enum`, 'it is a list with at least one value')
  }
  if (value['pattern'] !== undefined) checkPattern(value['pattern'], `${path}.pattern`, add)
  for (const keyword of ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames']) {
    if (value[keyword] !== undefined) schema(value[keyword], pathOf(path, keyword), add, depth + 1)
  }
  for (const keyword of ['properties', 'patternProperties', '$defs']) {
    const inner = value[keyword]
    if (inner === undefined) continue
    if (!isObject(inner)) add(pathOf(path, keyword), 'it is an object of schemas')
    else for (const [name, each] of Object.entries(inner)) schema(each, pathOf(pathOf(path, keyword), name), add, depth + 1)
  }
  for (const keyword of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) {
    const inner = value[keyword]
    if (inner === undefined) continue
    if (!Array.isArray(inner) || inner.length === 0) add(pathOf(path, keyword), 'it is a list with at least one schema')
    else inner.forEach((each, i) => schema(each, pathOf(pathOf(path, keyword), i), add, depth + 1))
  }
}

function checkType(type: unknown, path: string, add: Add): void {
  if (type === undefined || typeNames.has(type)) return
  if (Array.isArray(type) && type.length > 0 && type.every((each) => typeNames.has(each))) return
  add(path, `it is one of ${[...typeNames].join(', ')}, or a list of them`)
}

function checkNames(value: { readonly [key: string]: unknown }, path: string, add: Add): void {
  const required = value['required']
  if (required === undefined) return
  if (!Array.isArray(required)) return add(`${path}.required`, 'it is a list of names')
  const properties = value['properties']
  required.forEach((name: unknown, i) => {
    if (typeof name !== 'string') add(pathOf(`${path}.required`, i), 'it is the name of a property')
    else if (isObject(properties) && !Object.hasOwn(properties, name) && value['additionalProperties'] === false) {
      add(pathOf(`${path}.required`, i), `there is no property "${name}"`)
    }
  })
}

function checkPattern(pattern: unknown, path: string, add: Add): void {
  try {
    if (typeof pattern !== 'string') return add(path, 'it is a text')
    new RegExp(pattern, 'u')
  } catch {
    add(path, 'it is no regular expression')
  }
}
