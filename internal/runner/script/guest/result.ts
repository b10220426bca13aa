// What a tool returned or threw, written for the host. Nothing here trusts it: getters run, and may
// throw; what is written is what was looked at.
import { encode, plain } from '../../../../sdk/js/src/json.ts'
import { ToolsmithError } from '../../../../sdk/js/src/error.ts'
import { isSubtasksResult } from '../../../../sdk/js/src/tasks.ts'
import { inspect } from './inspect.ts'
import { isArray, isFiniteNumber, isView, isWellFormed, push, SafeError, slice, stringify, text, toWellFormed } from './primordials.ts'

/** How it ended, and the JSON of it. */
export interface Ending {
  readonly kind: 'value' | 'subtasks' | 'error'
  readonly json: string
}

const nested = 'it is a result of createSubtasksResult, which a tool returns by itself, and'

/** Writes what a tool returned. It throws RESULT_INVALID where JSON cannot hold it. */
export function endingOf(value: unknown): Ending {
  if (isSubtasksResult(value)) return { kind: 'subtasks', json: write(value.chains) }
  return { kind: 'value', json: write(value) }
}

class Fault {
  readonly key: string
  readonly what: string
  constructor(key: string, what: string) {
    this.key = key
    this.what = what
  }
}

function write(value: unknown): string {
  try {
    return (stringify(value, look) as string | undefined) ?? 'null'
  } catch (thrown) {
    // The engine says that a value contains itself or is too deep without saying where.
    if (thrown instanceof Fault || thrown instanceof TypeError || thrown instanceof RangeError) place(value, thrown)
    throw thrown
  }
}

/** Looks at each value just before it is written. */
function look(this: unknown, key: string, value: unknown): unknown {
  const what = faultOf(value, key)
  if (what === '') return value
  if (what !== 'undefined') throw new Fault(key, what)
  if (isArray(this)) throw new Fault(key, 'it is undefined')
  return value
}

function faultOf(value: unknown, key: string): string {
  if (!isWellFormed(key)) return 'it has a field whose name has half a character'
  switch (typeof value) {
    case 'boolean':
      return ''
    case 'undefined':
      return 'undefined'
    case 'string':
      return isWellFormed(value) ? '' : 'it is a text with half a character'
    case 'number':
      return isFiniteNumber(value) ? '' : `it is ${value}`
    case 'object':
      return value === null ? '' : faultOfObject(value)
    default:
      return `it is a ${typeof value}`
  }
}

function faultOfObject(value: object): string {
  if (isSubtasksResult(value)) return nested
  if (isArray(value)) return ''
  if (value instanceof Map) return 'it is a Map'
  if (value instanceof Set) return 'it is a Set'
  if (value instanceof Promise) return 'it is a Promise'
  if (isView(value) || value instanceof ArrayBuffer) return 'it is binary data'
  return ''
}

/** Says where the fault is, as far as a second look finds it. */
function place(value: unknown, first: unknown): never {
  const found = nestedSubtasks(value, '$', 0)
  if (found !== undefined) throw invalid(found, nested)
  encode(value) // throws with the place
  if (first instanceof Fault) throw invalid(`$…${first.key}`, first.what)
  throw invalid('$', 'it cannot be read, or contains itself,')
}

function invalid(field: string, what: string): ToolsmithError {
  return new ToolsmithError('RESULT_INVALID', `${field}: ${what}${what === nested ? ' no part of a result can be one' : ', which JSON cannot hold'}.`, { field })
}

function nestedSubtasks(value: unknown, path: string, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 64) return undefined
  if (depth > 0 && isSubtasksResult(value)) return path
  for (const key of Object.keys(value)) {
    const at = isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const found = nestedSubtasks((value as { [key: string]: unknown })[key], at, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** Everything about something that was thrown, as the host gets it. */
interface Thrown {
  name: string
  message: string
  stack: string
  code?: string
  field?: string
  details?: unknown
  causes?: { name: string; message: string }[]
  /** It was made to be read as it is: a ToolsmithError. */
  worded?: boolean
}

const mostText = 4000
const mostStack = 8000
const mostCauses = 4

/** Writes what was thrown, whatever it is. */
export function errorEnding(thrown: unknown): Ending {
  let written: Thrown
  try {
    written = describe(thrown)
  } catch {
    written = { name: '', message: 'Something was thrown that cannot be shown.', stack: '' }
  }
  try {
    return { kind: 'error', json: stringify(written) }
  } catch {
    delete written.details
    return { kind: 'error', json: stringify(written) }
  }
}

function describe(thrown: unknown): Thrown {
  if (typeof thrown !== 'object' || thrown === null) {
    return { name: '', message: typeof thrown === 'string' ? cut(thrown) : `${inspect(thrown)} was thrown.`, stack: '' }
  }
  const isError = thrown instanceof SafeError
  const message = textOf(thrown, 'message') ?? (isError ? '' : undefined)
  const written: Thrown = {
    name: isError ? (textOf(thrown, 'name') ?? 'Error') : '',
    message: message === undefined || (message === '' && !isError) ? `${inspect(thrown)} was thrown.` : message,
    stack: slice(textOf(thrown, 'stack', mostStack) ?? '', 0, mostStack),
  }
  const code = textOf(thrown, 'code')
  if (code !== undefined) written.code = code
  const field = textOf(thrown, 'field')
  if (field !== undefined) written.field = field
  const details = read(thrown, 'details')
  if (details !== undefined) written.details = plainOrNothing(details)
  if (thrown instanceof ToolsmithError) written.worded = true
  const causes = causesOf(thrown)
  if (causes.length > 0) written.causes = causes
  return written
}

function causesOf(thrown: object): { name: string; message: string }[] {
  const list: { name: string; message: string }[] = []
  let at: unknown = read(thrown, 'cause')
  for (let n = 0; n < mostCauses && at !== undefined && at !== null; n++) {
    if (typeof at !== 'object') {
      push(list, { name: '', message: cut(typeof at === 'string' ? at : inspect(at)) })
      break
    }
    push(list, { name: textOf(at, 'name') ?? '', message: textOf(at, 'message') ?? cut(inspect(at)) })
    at = read(at, 'cause')
  }
  return list
}

function plainOrNothing(value: unknown): unknown {
  try {
    return plain(value)
  } catch {
    return undefined
  }
}

/** A property, or nothing where reading it fails. */
function read(from: object, key: string): unknown {
  try {
    return (from as { [key: string]: unknown })[key]
  } catch {
    return undefined
  }
}

function textOf(from: object, key: string, most = mostText): string | undefined {
  const value = read(from, key)
  return typeof value === 'string' ? cut(value, most) : undefined
}

function cut(value: string, most = mostText): string {
  return toWellFormed(value.length <= most ? value : `${text(slice(value, 0, most))}…`)
}
