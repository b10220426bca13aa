import { closeCodes, type Dial } from './channel.ts'
import type { ClientTool } from './declare.ts'
import { invalidDeclaration } from './declare.ts'
import { errorFrom, ToolsmithError, unavailable } from './error.ts'
import { plain, type Json, type JsonObject } from './json.ts'
import { Link, type Ending, type LinkOptions, type ServerInfo } from './link.ts'
import { Calls, type CallResult, type OutgoingCall } from './calls.ts'
import type { HostMessage, ServerMessage } from './protocol.ts'
import { withResolvers, type Resolvers } from './resolvers.ts'
import { Serving, type HostTool } from './serving.ts'
import { hostTool, type HostContext } from './toolcontext.ts'

/** What happens to a connection, for logs and indicators. */
export type ConnectionEvent =
  | { readonly type: 'open'; readonly server: ServerInfo }
  | { readonly type: 'drop'; readonly code: number; readonly reason: string }
  | { readonly type: 'retry'; readonly delay: number; readonly attempt: number }
  /** After a drop, the server did not take a tool again. It is offered again from time to time. */
  | { readonly type: 'refused'; readonly tool: string; readonly error: ToolsmithError }
  /** The server found fault with something that was no answer to a request. */
  | { readonly type: 'fault'; readonly error: ToolsmithError }
  | { readonly type: 'close'; readonly reason: string }

/** How long is waited before the port is opened again, in milliseconds: doubled each time, and varied by chance. */
export interface Backoff {
  /** Default 100. */
  readonly first: number
  /** Default 15,000. */
  readonly most: number
}

/** A port to a server: tools are supplied and called through it. */
export interface Connection {
  /** 'waiting' between a drop and the next attempt. */
  readonly state: 'opening' | 'open' | 'waiting' | 'closed'
  /** What the server said of itself, when the port was opened last. */
  readonly server: ServerInfo | undefined
  /**
   * Supplies a tool, or replaces one of the same name; calls under way go on. It is supplied again
   * after a drop. Waits while the port is not open.
   *
   * @throws TOOL_EXISTS where the name is another's, PORT_TOOLS_EXCEEDED, PORT_CLOSED
   */
  register(tool: ClientTool): Promise<void>
  /** Takes a tool back; false if there was none of that name. */
  unregister(name: string): Promise<boolean>
  /**
   * Calls a tool of the server, as a run with consent: it may wait for a person. While the port is not open it waits.
   *
   * @throws the failure of the run with its `runId`, ABORTED, CALL_TIME_EXCEEDED, PORT_CLOSED
   */
  call(tool: string, args?: object, options?: OutgoingCall): Promise<CallResult>
  /** Milliseconds to the server and back. */
  ping(): Promise<number>
  /** Resolves when the port is closed for good. */
  readonly closed: Promise<void>
  /** Closes the port for good. Calls fail with PORT_CLOSED, functions are stopped, no timer is left. */
  close(): void
}

export interface ConnectionOptions extends Omit<LinkOptions, 'dial'> {
  readonly dial: Dial
  /** Undefined: the port is not opened again. */
  readonly backoff: Backoff | undefined
  /** The token is the same each time: once it is refused, it always is. */
  readonly fixedToken: boolean
  readonly context: HostContext
  readonly onEvent: ((event: ConnectionEvent) => void) | undefined
}

interface Registration {
  readonly tool: HostTool
  readonly done: Resolvers<void>
  confirmed: boolean
  /** What it replaces, in force again if the server refuses it. */
  readonly before: Registration | undefined
}

interface Asked {
  readonly resolve: (value: Json) => void
  readonly reject: (error: ToolsmithError) => void
}

/** The connection behind both kinds of channels. */
export class PortConnection implements Connection {
  readonly ready = withResolvers<void>()
  /** Why the port was last lost; undefined while it never was. */
  lastReason: string | undefined
  readonly #closed = withResolvers<void>()
  readonly #options: ConnectionOptions
  readonly #tools = new Map<string, Registration>()
  readonly #asked = new Map<string, Asked>()
  readonly #serving: Serving
  readonly #calls: Calls
  /** Why it was closed for good. */
  #closedFor: ToolsmithError | undefined
  #link: Link | undefined
  #state: Connection['state'] = 'opening'
  #server: ServerInfo | undefined
  #everOpen = false
  #attempt = 0
  #lastId = 0
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #offerTimer: ReturnType<typeof setTimeout> | undefined
  #offers = 0

  constructor(options: ConnectionOptions) {
    this.#options = options
    const send = (message: HostMessage, key?: string): void => this.#link?.send(message, key)
    this.#calls = new Calls({ send, isOpen: () => this.#state === 'open', newId: () => this.#newId() })
    this.#serving = new Serving({ send, ask: (call, method, args, signal) => this.#askContext(call, method, args, signal) })
    this.#open()
  }

  get state(): Connection['state'] {
    return this.#state
  }

  get server(): ServerInfo | undefined {
    return this.#server
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** What this host carries out itself for its tools. */
  get context(): HostContext {
    return this.#options.context
  }

  /** Whether a tool of this name is supplied, or about to be. */
  has(name: string): boolean {
    return this.#tools.has(name)
  }

  async register(tool: ClientTool): Promise<void> {
    if (tool?.kind !== 'client') {
      throw invalidDeclaration([{ path: '$', message: 'only what createClientTool gives can be supplied by a host' }])
    }
    await this.registerHostTool(hostTool(tool, this.#options.context))
  }

  async registerHostTool(tool: HostTool): Promise<void> {
    this.#mustNotBeClosed()
    const { name } = tool.wire
    const before = this.#tools.get(name)
    const most = this.#link?.limits.tools ?? Infinity
    if (before === undefined && this.#tools.size >= most) {
      throw new ToolsmithError('PORT_TOOLS_EXCEEDED', `A port has at most ${most} tools.`)
    }
    const registration: Registration = { tool, done: withResolvers(), confirmed: false, before }
    this.#tools.set(name, registration)
    if (this.#state === 'open') void this.#offer(registration)
    await registration.done.promise
  }

  async unregister(name: string): Promise<boolean> {
    this.#mustNotBeClosed()
    const registration = this.#tools.get(name)
    if (registration === undefined) return false
    this.#tools.delete(name)
    registration.done.reject(new ToolsmithError('ABORTED', `The tool "${name}" was taken back before the server had it.`))
    if (this.#state !== 'open') return true
    await this.#ask((id) => ({ type: 'unregister', id, name })).catch((error: ToolsmithError) => {
      // With the port gone, the tool is gone too.
      if (error.code !== 'PORT_CLOSED') throw error
    })
    return true
  }

  async call(tool: string, args: object = {}, options: OutgoingCall = {}): Promise<CallResult> {
    this.#mustNotBeClosed()
    return await this.#calls.make(tool, plain(args, 'ARGUMENTS_INVALID') as JsonObject, options)
  }

  async ping(): Promise<number> {
    this.#mustNotBeClosed()
    if (this.#state !== 'open') throw closedError('the port is not open')
    const began = performance.now()
    await this.#ask((id) => ({ type: 'ping', id }))
    return performance.now() - began
  }

  close(): void {
    this.shut(closedError('it was closed here'))
  }

  /** Closes it for good, for a reason that all who wait get to see. */
  shut(error: ToolsmithError): void {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#closedFor = error
    clearTimeout(this.#retryTimer)
    clearTimeout(this.#offerTimer)
    const link = this.#link
    this.#link = undefined
    link?.close(closeCodes.normal, '')
    this.#failAsked(error)
    this.#serving.stopAll(error)
    this.#calls.stop(error)
    for (const registration of this.#tools.values()) registration.done.reject(error)
    this.#tools.clear()
    this.ready.reject(error)
    this.#closed.resolve()
    this.#tell({ type: 'close', reason: error.message })
  }

  #mustNotBeClosed(): void {
    if (this.#closedFor === undefined) return
    throw this.#closedFor.code === 'PORT_CLOSED' ? this.#closedFor : closedError(this.#closedFor.message)
  }

  #newId(): string {
    return `q${++this.#lastId}`
  }

  #open(): void {
    this.#state = 'opening'
    const link = new Link(this.#options, {
      welcomed: (server) => {
        if (this.#link === link) this.#welcomed(server)
      },
      message: (message) => {
        if (this.#link === link) this.#take(message)
      },
      ended: (ending) => {
        if (this.#link === link) this.#ended(ending)
      },
    })
    this.#link = link
  }

  #welcomed(server: ServerInfo): void {
    this.#state = 'open'
    this.#server = server
    this.#attempt = 0
    this.#offers = 0
    this.#everOpen = true
    this.#tell({ type: 'open', server })
    for (const registration of this.#tools.values()) void this.#offer(registration)
    this.#calls.opened()
    this.ready.resolve()
  }

  #ended(ending: Ending): void {
    const reason = ending.error?.message ?? (ending.reason || `the port was closed with code ${ending.code}`)
    const error = closedError(reason)
    this.#link = undefined
    this.#state = 'waiting'
    this.lastReason = reason
    clearTimeout(this.#offerTimer)
    this.#offerTimer = undefined
    this.#failAsked(error)
    this.#serving.stopAll(error)
    this.#calls.dropped(error)
    this.#tell({ type: 'drop', code: ending.code, reason })
    const { backoff } = this.#options
    if (backoff === undefined || this.#isRefused(ending)) this.shut(ending.error ?? error)
    else if (this.#state === 'waiting') this.#retry(backoff)
  }

  // What is refused from the first will be refused again. Later on the server may be another, or be
  // about to end, and only a token that never changes is hopeless.
  #isRefused({ byServer, code, error }: Ending): boolean {
    if (byServer && code === closeCodes.later) return false
    if (this.#everOpen) return error?.code === 'HTTP_TOKEN_REFUSED' && this.#options.fixedToken
    return error !== undefined || (byServer && code === closeCodes.refused)
  }

  #retry(backoff: Backoff): void {
    const delay = varied(backoff, this.#attempt++)
    this.#tell({ type: 'retry', delay, attempt: this.#attempt })
    this.#retryTimer = setTimeout(() => this.#open(), delay)
  }

  async #offer(registration: Registration): Promise<void> {
    const { name } = registration.tool.wire
    try {
      await this.#ask((id) => ({ type: 'register', id, tool: registration.tool.wire }))
      registration.confirmed = true
      registration.done.resolve()
    } catch (thrown) {
      const error = thrown as ToolsmithError
      // The port is gone: the tool is offered again when it is back.
      if (error.code === 'PORT_CLOSED' || this.#tools.get(name) !== registration) return
      if (registration.confirmed) return this.#offerLater(name, error)
      if (registration.before === undefined) this.#tools.delete(name)
      else this.#tools.set(name, registration.before)
      registration.done.reject(error)
    }
  }

  // The server may hold the name for the port that was lost, until it notices that it is gone.
  #offerLater(name: string, error: ToolsmithError): void {
    this.#tell({ type: 'refused', tool: name, error })
    const { backoff } = this.#options
    if (backoff === undefined || this.#offerTimer !== undefined) return
    this.#offerTimer = setTimeout(() => {
      this.#offerTimer = undefined
      for (const registration of this.#tools.values()) void this.#offer(registration)
    }, varied({ first: 10 * backoff.first, most: 2 * backoff.most }, this.#offers++))
  }

  async #askContext(call: string, method: string, args: JsonObject, signal: AbortSignal): Promise<Json> {
    if (signal.aborted) throw unavailable(method, 'the call is over.')
    const stopped = withResolvers<never>()
    const stop = (): void => stopped.reject(signal.reason as ToolsmithError)
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await Promise.race([this.#ask((id) => ({ type: 'context', id, call, method, arguments: args })), stopped.promise])
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  async #ask(make: (id: string) => HostMessage): Promise<Json> {
    const id = this.#newId()
    const answer = withResolvers<Json>()
    this.#asked.set(id, answer)
    try {
      this.#link?.send(make(id))
      return await answer.promise
    } finally {
      this.#asked.delete(id)
    }
  }

  #failAsked(error: ToolsmithError): void {
    for (const asked of this.#asked.values()) asked.reject(error)
    this.#asked.clear()
  }

  #take(message: Exclude<ServerMessage, { type: 'hello' }>): void {
    switch (message.type) {
      case 'call':
        this.#serving.take(message, this.#tools.get(message.tool)?.tool, this.#link?.limits.calls ?? 0)
        return
      case 'cancel':
        this.#serving.cancel(message.call, message.reason)
        return
      case 'registered':
      case 'unregistered':
      case 'pong':
        this.#asked.get(message.id)?.resolve(null)
        return
      case 'context':
        this.#asked.get(message.id)?.resolve(message.value ?? null)
        return
      case 'progress':
        this.#calls.progress(message)
        return
      case 'result':
        this.#calls.result(message)
        return
      case 'error':
        this.#takeError(message)
    }
  }

  #takeError(message: Extract<ServerMessage, { type: 'error' }>): void {
    const error = errorFrom(message.error, message.runId)
    const asked = message.id === undefined ? undefined : this.#asked.get(message.id)
    if (asked !== undefined) asked.reject(error)
    else if (message.id === undefined) this.#tell({ type: 'fault', error })
    else this.#calls.error(message.id, error)
  }

  #tell(event: ConnectionEvent): void {
    const { onEvent } = this.#options
    // On its own, so that what it throws is seen as its own and stops nothing here.
    if (onEvent !== undefined) queueMicrotask(() => onEvent(event))
  }
}

/** The error of everything that a port which is gone cannot do any more. */
export function closedError(reason: string): ToolsmithError {
  return new ToolsmithError('PORT_CLOSED', `The port is closed: ${reason.replace(/\.$/, '')}.`)
}

function varied(backoff: Backoff, attempt: number): number {
  const whole = Math.min(backoff.most, backoff.first * 2 ** Math.min(attempt, 30))
  return whole / 2 + Math.random() * (whole / 2)
}
