import { ToolsmithError } from './error.ts'
import { encode, isObject, type Json, type JsonObject } from './json.ts'

/** Who speaks in a task. */
export type Role = 'user' | 'assistant' | 'system' | 'tool'

/** After what a call in a chain still runs: only when all before it went well, or always. */
export type RunOn = 'success' | 'settled'

/** Text: conversation or instructions. */
export interface MessageContent {
  readonly type: 'message'
  readonly data: string
}

/** A call of a tool: the only kind of content that executes. */
export interface ToolContent {
  readonly type: 'tool'
  readonly data: { readonly name: string; readonly arguments: JsonObject; readonly runOn?: RunOn }
}

/** A plain value that a tool returned. */
export interface ToolResultContent {
  readonly type: 'toolresult'
  readonly data: Json
}

/** Typed data for another task. */
export interface StructuredContent {
  readonly type: 'structured'
  readonly data: Json
}

/** A visible failure. */
export interface ErrorContent {
  readonly type: 'error'
  readonly data: { readonly code: string; readonly message: string; readonly details?: Json }
}

/** Ends its chain. What counts as the value of the chain is the task before it. */
export interface ReturnContent {
  readonly type: 'return'
  readonly data: Json
}

/** What a task holds. */
export type Content = MessageContent | ToolContent | ToolResultContent | StructuredContent | ErrorContent | ReturnContent

/** One link of a chain, as a tool or a caller writes it. */
export interface Task<C extends Content = Content> {
  readonly role: Role
  readonly content: C
}

/** Tasks that run strictly one after the other. */
export type Chain = readonly Task[]

/** A task of a run, as a tool sees it in the chain before it. */
export interface ChainTask extends Task {
  readonly id?: string
  /** Counts the chains beside each other, from 0. */
  readonly branch?: number
  /** How many calls are above it; 0 for the chains of the caller. */
  readonly depth?: number
}

/** A call of a tool, as {@link toolCall} takes it. */
export interface CallOptions {
  /** Default: 'success'. With 'settled' it also runs after failures, as reducers do. */
  readonly runOn?: RunOn
}

/**
 * Makes a task that calls a tool. In arguments, {@link previous} stands for what the task before
 * came to.
 */
export function toolCall(name: string, args?: object, options?: CallOptions): Task<ToolContent>
/** The same, with everything in one object. */
export function toolCall(call: { readonly name: string; readonly arguments?: object; readonly runOn?: RunOn }): Task<ToolContent>
export function toolCall(
  first: string | { readonly name: string; readonly arguments?: object; readonly runOn?: RunOn },
  args: object = {},
  options: CallOptions = {},
): Task<ToolContent> {
  const call = typeof first === 'string' ? { name: first, arguments: args, ...options } : first
  const data: { name: string; arguments: JsonObject; runOn?: RunOn } = {
    name: call.name,
    arguments: (call.arguments ?? {}) as JsonObject,
  }
  if (call.runOn !== undefined) data.runOn = call.runOn
  return { role: 'tool', content: { type: 'tool', data } }
}

/** Makes a task that is text. */
export function message(text: string, role: Role = 'assistant'): Task<MessageContent> {
  return { role, content: { type: 'message', data: text } }
}

/** Makes a task that is typed data, which JSON can hold, for another task. */
export function structured(data: unknown, role: Role = 'tool'): Task<StructuredContent> {
  return { role, content: { type: 'structured', data: data as Json } }
}

/** Makes the task that ends a chain. */
export function returns(data: unknown = null): Task<ReturnContent> {
  return { role: 'system', content: { type: 'return', data: data as Json } }
}

/** Makes a task that is a visible failure. */
export function failure(code: string, text: string, details?: Json): Task<ErrorContent> {
  const data = details === undefined ? { code, message: text } : { code, message: text, details }
  return { role: 'tool', content: { type: 'error', data } }
}

/**
 * An argument that stands for what the task before the call came to, or, with a path such as
 * `items.0.title`, for a part of it.
 */
export function previous(path = ''): { readonly $ref: string } {
  return { $ref: path === '' ? '$previous' : `$previous.${path}` }
}

/** One task, a chain, or chains that run side by side. */
export type Subtasks = Task | Chain | readonly Chain[]

// Also known by another copy of this package, and nothing that JSON could hold.
const brand: unique symbol = Symbol.for('toolsmith.subtasks') as never

/** What a function returns to let chains run. Only {@link createSubtasksResult} makes one. */
export interface SubtasksResult {
  readonly chains: readonly Chain[]
  readonly [brand]: true
}

/** Whether a value was made by createSubtasksResult. */
export function isSubtasksResult(value: unknown): value is SubtasksResult {
  return typeof value === 'object' && value !== null && brand in value
}

/**
 * Makes the result that lets chains run: each strictly in its order, all of them side by side.
 * It throws RESULT_INVALID with everything that is wrong, each with its position
 * (`[1][2].content.type`).
 */
export function createSubtasksResult(subtasks: Subtasks): SubtasksResult {
  return Object.freeze({ chains: checkedChains(subtasks), [brand]: true as const })
}

const roles: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'tool'])
const mostTasks = 1000

/** Reads one task, a chain or chains, and refuses what could not run. */
export function checkedChains(subtasks: unknown): Chain[] {
  const problems: string[] = []
  const list: readonly unknown[] = Array.isArray(subtasks) ? subtasks : [subtasks]
  const nested = list.length > 0 && list.every(Array.isArray)
  const chains: readonly (readonly unknown[])[] = nested ? (list as unknown[][]) : [list]
  if (chains.reduce((n, chain) => n + chain.length, 0) > mostTasks) {
    problems.push(`$: there are more than ${mostTasks} tasks`)
    throw invalid(problems)
  }
  const checked = chains.map((chain, i) => {
    if (chain.length === 0) problems.push(`[${i}]: a chain has at least one task`)
    return chain.map((task, j) => {
      const { content, ...rest } = checkedTask(task, `[${i}][${j}]`, problems)
      if (content.type === 'return' && j < chain.length - 1) {
        problems.push(`[${i}][${j + 1}]: nothing can follow a "return" in its chain`)
      }
      return { ...rest, content }
    })
  })
  if (problems.length > 0) throw invalid(problems)
  return checked
}

function invalid(problems: readonly string[]): ToolsmithError {
  const field = problems[0]?.slice(0, problems[0].indexOf(':'))
  return new ToolsmithError('RESULT_INVALID', `The subtasks cannot be carried out. ${problems.join('; ')}.`, {
    field,
    details: problems,
  })
}

function checkedTask(task: unknown, at: string, problems: string[]): Task {
  const fallback: Task = { role: 'tool', content: { type: 'toolresult', data: null } }
  if (!isObject(task)) {
    problems.push(`${at}: it is no task, which is {"role", "content"}`)
    return fallback
  }
  if (!roles.has(task['role'])) problems.push(`${at}.role: it is one of user, assistant, system and tool`)
  const content = task['content']
  if (!isObject(content)) {
    problems.push(`${at}.content: it is {"type", "data"}`)
    return fallback
  }
  const type = content['type'] === 'functioncall' ? 'tool' : content['type']
  const before = problems.length
  checkContent(type, content['data'], at, problems)
  if (problems.length === before) {
    try {
      encode(content['data'], 'RESULT_INVALID', `${at}.content.data`)
    } catch (fault) {
      problems.push(fault instanceof ToolsmithError ? fault.message.replace(/\.$/, '') : `${at}: ${String(fault)}`)
    }
  }
  return { role: task['role'] as Role, content: { type, data: content['data'] ?? null } as Content }
}

function checkContent(type: unknown, data: unknown, at: string, problems: string[]): void {
  switch (type) {
    case 'message':
      if (typeof data !== 'string') problems.push(`${at}.content.data: the data of a message is a text`)
      return
    case 'tool':
      checkCall(data, `${at}.content.data`, problems)
      return
    case 'error':
      if (!isObject(data) || typeof data['code'] !== 'string' || typeof data['message'] !== 'string') {
        problems.push(`${at}.content.data: the data of an error is {"code", "message", "details"?}`)
      }
      return
    case 'toolresult':
    case 'structured':
    case 'return':
      return
    default:
      problems.push(`${at}.content.type: it is one of message, tool, toolresult, structured, error and return`)
  }
}

function checkCall(data: unknown, at: string, problems: string[]): void {
  if (!isObject(data)) {
    problems.push(`${at}: the data of a call is {"name", "arguments", "runOn"?}`)
    return
  }
  if (typeof data['name'] !== 'string' || data['name'].trim() === '') problems.push(`${at}.name: it is the name of a tool`)
  if (!isObject(data['arguments'])) problems.push(`${at}.arguments: they are an object`)
  const runOn = data['runOn']
  if (runOn !== undefined && runOn !== 'success' && runOn !== 'settled') {
    problems.push(`${at}.runOn: it is "success" or "settled"`)
  }
}

/** Reads the chain that a server gives, in either way of writing its tasks. */
export function readChain(value: unknown): ChainTask[] {
  if (!Array.isArray(value)) {
    throw new ToolsmithError('PORT_MESSAGE_INVALID', 'The server gave a chain that is no list.')
  }
  return value.map((entry: unknown) => {
    if (!isObject(entry)) throw new ToolsmithError('PORT_MESSAGE_INVALID', 'The server gave a chain with something that is no task.')
    if (isObject(entry['content'])) return entry as unknown as ChainTask
    const { type, data, ...rest } = entry
    return { ...rest, content: { type, data } } as unknown as ChainTask
  })
}
