import type { ErrorData } from './error.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import type { Chain } from './tasks.ts'

/** The protocol, and the name of the WebSocket subprotocol. */
export const protocolName = 'toolsmith.port.v1'

/** The longest message, in bytes of JSON, unless the server says another length. */
export const defaultMessageBytes = 1 << 20

/** A client tool as it is registered. */
export interface WireTool {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly longDescription?: string
  readonly version?: string
  readonly parameters: JsonObject
  readonly result?: JsonObject
  readonly renderOptions?: JsonObject
  readonly context?: readonly string[]
  readonly timeout?: number
  readonly readOnly?: boolean
  readonly idempotent?: boolean
}

/** What a host sends. */
export type HostMessage =
  | { readonly type: 'hello'; readonly protocol: 1; readonly name: string; readonly version?: string; readonly token?: string }
  | { readonly type: 'register'; readonly id: string; readonly tool: WireTool }
  | { readonly type: 'unregister'; readonly id: string; readonly name: string }
  | { readonly type: 'progress'; readonly call: string; readonly done: number; readonly total: number; readonly note?: string }
  | { readonly type: 'result'; readonly call: string; readonly value?: Json; readonly subtasks?: readonly Chain[] }
  | { readonly type: 'error'; readonly call?: string; readonly error: ErrorData }
  | { readonly type: 'context'; readonly id: string; readonly call: string; readonly method: string; readonly arguments?: JsonObject }
  | {
      readonly type: 'call'
      readonly id: string
      readonly tool: string
      readonly arguments: JsonObject
      readonly title?: string
      readonly key?: string
      readonly taskId?: string
      readonly deadline?: number
    }
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'ping'; readonly id: string }

/** What a server allows. */
export interface Limits {
  /** Bytes of the longest message. */
  readonly messageBytes: number
  /** Tools of one port. */
  readonly tools: number
  /** Calls that the server makes at once. */
  readonly calls: number
}

/** What is assumed until a server says otherwise. */
export const defaultLimits: Limits = { messageBytes: defaultMessageBytes, tools: 200, calls: 64 }

/** What a server sends. */
export type ServerMessage =
  | { readonly type: 'hello'; readonly protocol: number; readonly server?: string; readonly version?: string; readonly limits?: Partial<Limits> }
  | { readonly type: 'registered'; readonly id: string; readonly name?: string }
  | { readonly type: 'unregistered'; readonly id: string }
  | {
      readonly type: 'call'
      readonly id: string
      readonly tool: string
      readonly arguments: JsonObject
      readonly taskId?: string
      readonly runId?: string
      readonly caller?: string
      readonly deadline?: number
    }
  | { readonly type: 'cancel'; readonly call: string; readonly reason?: string }
  | { readonly type: 'context'; readonly id: string; readonly value?: Json }
  | { readonly type: 'progress'; readonly id: string; readonly done: number; readonly total: number; readonly note?: string }
  | { readonly type: 'result'; readonly id: string; readonly value?: Json; readonly runId?: string }
  | { readonly type: 'error'; readonly id?: string; readonly error: ErrorData; readonly runId?: string }
  | { readonly type: 'pong'; readonly id: string }

type Kind = 'id' | 'text' | 'number' | 'object' | 'error' | 'any' | 'chains'
type Shape = { readonly [field: string]: Kind | `${Kind}?` }

const fromServer: { readonly [type: string]: Shape } = {
  hello: { protocol: 'number', server: 'text?', version: 'text?', limits: 'object?' },
  registered: { id: 'id', name: 'text?' },
  unregistered: { id: 'id' },
  call: { id: 'id', tool: 'text', arguments: 'object', taskId: 'text?', runId: 'text?', caller: 'text?', deadline: 'number?' },
  cancel: { call: 'id', reason: 'text?' },
  context: { id: 'id', value: 'any' },
  progress: { id: 'id', done: 'number', total: 'number', note: 'text?' },
  result: { id: 'id', value: 'any', runId: 'text?' },
  error: { id: 'id?', error: 'error', runId: 'text?' },
  pong: { id: 'id' },
}

const fromHost: { readonly [type: string]: Shape } = {
  hello: { protocol: 'number', name: 'text', version: 'text?', token: 'text?' },
  register: { id: 'id', tool: 'object' },
  unregister: { id: 'id', name: 'text' },
  progress: { call: 'id', done: 'number', total: 'number', note: 'text?' },
  result: { call: 'id', value: 'any', subtasks: 'chains?' },
  error: { call: 'id?', error: 'error' },
  context: { id: 'id', call: 'id', method: 'text', arguments: 'object?' },
  call: { id: 'id', tool: 'text', arguments: 'object', title: 'text?', key: 'text?', taskId: 'text?', deadline: 'number?' },
  cancel: { id: 'id' },
  ping: { id: 'id' },
}

/** A message that cannot be read, with the id under which its sender waits for an answer. */
export interface Fault {
  readonly type: 'fault'
  readonly id: string | undefined
  readonly field: string
  readonly message: string
}

/** Reads a message of a server. Unknown fields are left alone. */
export function readServerMessage(value: JsonObject): ServerMessage | Fault {
  return read(value, fromServer) ?? (value as unknown as ServerMessage)
}

/** Reads a message of a host. Unknown fields are left alone. */
export function readHostMessage(value: JsonObject): HostMessage | Fault {
  return read(value, fromHost) ?? (value as unknown as HostMessage)
}

function read(value: JsonObject, shapes: { readonly [type: string]: Shape }): Fault | undefined {
  const id = isId(value['id']) ? value['id'] : undefined
  const type = value['type']
  const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined
  if (shape === undefined) {
    return { type: 'fault', id, field: '$.type', message: `There is no message of this type; there are ${Object.keys(shapes).join(', ')}.` }
  }
  for (const [field, kind] of Object.entries(shape)) {
    const wrong = kindFault(value[field], kind)
    if (wrong !== undefined) {
      return { type: 'fault', id, field: `$.${field}`, message: `In a message of type "${String(type)}", "${field}" ${wrong}.` }
    }
  }
  return undefined
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value.length >= 1 && value.length <= 64
}

function kindFault(value: unknown, kind: string): string | undefined {
  if (value === undefined && (kind.endsWith('?') || kind === 'any')) return undefined
  switch (kind.replace('?', '')) {
    case 'id':
      return isId(value) ? undefined : 'is a text of 1 to 64 characters'
    case 'text':
      return typeof value === 'string' ? undefined : 'is a text'
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'is a number'
    case 'object':
      return isObject(value) ? undefined : 'is an object'
    case 'chains':
      return Array.isArray(value) && value.every(Array.isArray) ? undefined : 'is a list of lists'
    case 'error':
      return isObject(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
        ? undefined
        : 'is {"code", "message"}'
    default:
      return undefined
  }
}

/** Takes from what a server says of its limits what makes sense, and the defaults for the rest. */
export function readLimits(said: Partial<Limits> | undefined): Limits {
  const whole = (value: unknown, otherwise: number, least: number): number =>
    typeof value === 'number' && Number.isInteger(value) && value >= least ? value : otherwise
  return {
    messageBytes: whole(said?.messageBytes, defaultLimits.messageBytes, 1024),
    tools: whole(said?.tools, defaultLimits.tools, 1),
    calls: whole(said?.calls, defaultLimits.calls, 1),
  }
}
