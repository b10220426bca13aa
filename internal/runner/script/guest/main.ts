// The realm in which coded tools run: what it has, and what the host can call of it.
import { api, declarations, declared, type Declared } from './api.ts'
import { makeConsole } from './console.ts'
import { fetch, flushProgress, makeContext, stopCall, type Info } from './context.ts'
import { structuredClone } from './clone.ts'
import { TextDecoder, TextEncoder } from './encoding.ts'
import { AbortController, AbortSignal, Event, EventTarget } from './events.ts'
import { Request, Response } from './fetch.ts'
import { Headers } from './headers.ts'
import { forget, hostCall, settle, state } from './host.ts'
import { apply, defineProperty, deleteProperty, ownKeys, parse } from './primordials.ts'
import { inspect } from './inspect.ts'
import { installRandom, seed } from './random.ts'
import { endingOf, errorEnding, type Ending } from './result.ts'
import { clearTimeout, setTimeout } from './timers.ts'
import { URL, URLSearchParams } from './url.ts'

// Everything that the engine has beyond ECMAScript goes, whatever the next engine brings.
const ecmascript = `Object Function Error EvalError RangeError ReferenceError SyntaxError TypeError URIError InternalError
  AggregateError SuppressedError Iterator Array parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI
  encodeURIComponent escape unescape Infinity NaN undefined eval Number Boolean String Math Reflect Symbol DisposableStack
  AsyncDisposableStack globalThis BigInt Date RegExp JSON Proxy Map Set WeakMap WeakSet WeakRef FinalizationRegistry ArrayBuffer
  SharedArrayBuffer Atomics DataView Promise Uint8ClampedArray Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array
  BigInt64Array BigUint64Array Float16Array Float32Array Float64Array`.split(/\s+/)
// Of the web, and made by the engine itself.
const engine = ['DOMException']

const web = {
  console: makeConsole(),
  TextEncoder,
  TextDecoder,
  URL,
  URLSearchParams,
  structuredClone,
  setTimeout,
  clearTimeout,
  AbortController,
  AbortSignal,
  Event,
  EventTarget,
  Request,
  Response,
  Headers,
  fetch,
}

function makeRealm(): void {
  const keep = new Set<PropertyKey>([...ecmascript, ...engine])
  for (const key of ownKeys(globalThis)) if (!keep.has(key)) deleteProperty(globalThis, key)
  for (const [name, value] of Object.entries(web)) {
    defineProperty(globalThis, name, { value, writable: true, enumerable: false, configurable: true })
  }
  defineProperty(globalThis, '__toolsmith', { value: api, writable: false, enumerable: false, configurable: false })
  installRandom()
}

function end(ending: Ending): void {
  state.phase = 'ended'
  forget()
  try {
    hostCall('end', ending.kind, ending.json)
  } catch {
    const { kind, json } = errorEnding(new api.ToolsmithError('RESULT_TOO_LARGE', 'The result is longer than can be handed over. Return less, or a reference to where it is.'))
    hostCall('end', kind, json)
  }
}

function find(name: string): Declared | undefined {
  for (let i = 0; i < declared.length; i++) if (declared[i]?.name === name) return declared[i]
  return undefined
}

async function run(tool: Declared, args: unknown, context: object): Promise<void> {
  let ending: Ending
  try {
    ending = endingOf(await apply(tool.run as () => unknown, tool.spec, [args, context]))
  } catch (thrown) {
    ending = errorEnding(thrown)
  }
  flushProgress()
  end(ending)
}

makeRealm()

globalThis.__entry = {
  /** Is told of what a promise was rejected with while nobody waited for it. */
  unhandled(reason: unknown) {
    hostCall('log', 'error', `Unhandled rejection: ${inspect(reason)}`)
    return ''
  },
  /** What the file declares. */
  declared: () => declarations(),
  /** Begins the call of a tool. */
  start(name = '', args = '', info = '') {
    const { seed: numbers, ...about } = parse(info) as Info
    seed(numbers[0], numbers[1], numbers[2], numbers[3])
    state.phase = 'running'
    const tool = find(name)
    if (tool?.run === undefined) return 'missing'
    void run(tool, parse(args), makeContext({ ...about, seed: numbers }))
    return ''
  },
  /** Settles one request or timer. */
  settle(id = '', how = '', json = '') {
    if (state.phase === 'running') settle(id, how, json)
    return ''
  },
  /** Tells the tool that it is to stop. */
  stop(reason = '') {
    if (state.phase === 'running') stopCall(reason)
    return ''
  },
}
