import { closeCodes, portChannel, type Channel, type PortLike } from './channel.ts'
import { connect, type ConnectOptions } from './connect.ts'
import { PortConnection, type Connection } from './connection.ts'
import { contextMethods, declarationProblems } from './declarationproblems.ts'
import { invalidDeclaration } from './declare.ts'
import { errorData, errorFrom, ToolsmithError, unavailable } from './error.ts'
import { encode, isObject, type Json, type JsonObject } from './json.ts'
import { defaultLimits, readHostMessage, type HostMessage, type ServerMessage, type WireTool } from './protocol.ts'
import { withResolvers, type Resolvers } from './resolvers.ts'
import type { ServedCall } from './serving.ts'
import { createSubtasksResult } from './tasks.ts'
import type { Form } from './context.ts'

/** What a guest may do. */
export interface BridgeOptions {
  /** Names of the tools that the guest may supply. Default: any that nobody else has. */
  readonly tools?: readonly string[] | undefined
  /** Names of the server's tools that the guest may call, or 'all'. Default: none. */
  readonly calls?: readonly string[] | 'all' | undefined
  /** How the port is opened where `bridge` is given an address; its name is the one that the guest says. */
  readonly connect?: Omit<ConnectOptions, 'name' | 'tools'> | undefined
}

/** A guest that is connected through this page. */
export interface Bridge {
  /** The name that the guest said; undefined before it greeted. */
  readonly guest: string | undefined
  /** Resolves when the guest is gone, or the port to the server is closed for good. */
  readonly closed: Promise<void>
  /** Ends it: the guest's tools are taken back, its calls cancelled. */
  close(): void
}

/**
 * Connects a guest, such as an iframe or a worker, through this page: the guest speaks to `port`
 * as if it were the server, and never sees the token.
 *
 * @param to a connection of this page, on which the guest's tools are supplied beside its own, or
 *   the address of a server, for a port of the guest's own
 * @param port whose other end the guest has. {@link acceptPort} gets it from an iframe, and checks where that is from
 */
export function bridge(to: Connection | string | URL, port: PortLike, options: BridgeOptions = {}): Bridge {
  if (typeof to === 'object' && !(to instanceof URL) && !(to instanceof PortConnection)) {
    throw new ToolsmithError('ARGUMENTS_INVALID', 'A guest is bridged to what connect gives, or to an address.')
  }
  return new Guest(to, port, options)
}

interface Forwarded {
  readonly call: ServedCall
  readonly wire: WireTool
  readonly answer: Resolvers<unknown>
}

// What one guest may have open at once, of each kind.
const mostOpen = 256
const portName = /^[A-Za-z0-9._-]{1,64}$/

class Guest implements Bridge {
  readonly #to: PortConnection | string | URL
  readonly #options: BridgeOptions
  readonly #channel: Channel
  readonly #closed = withResolvers<void>()
  readonly #tools = new Set<string>()
  readonly #forwarded = new Map<string, Forwarded>()
  readonly #calls = new Map<string, AbortController>()
  #server: PortConnection | undefined
  #guest: string | undefined
  #open = true
  #asked = 0
  #lastId = 0

  constructor(to: PortConnection | string | URL, port: PortLike, options: BridgeOptions) {
    this.#to = to
    this.#options = options
    this.#channel = portChannel(
      port,
      {
        opened: () => undefined,
        message: (value) => this.#take(value),
        fault: () => this.close(),
        closed: () => this.#end(),
      },
      () => defaultLimits.messageBytes,
    )
  }

  get guest(): string | undefined {
    return this.#guest
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  close(): void {
    this.#channel.close(closeCodes.normal, 'closed by the page')
  }

  #end(): void {
    if (!this.#open) return
    this.#open = false
    const gone = new ToolsmithError('PORT_CLOSED', `The guest "${this.#guest ?? ''}" is gone.`)
    for (const { answer } of this.#forwarded.values()) answer.reject(gone)
    this.#forwarded.clear()
    for (const controller of this.#calls.values()) controller.abort(gone)
    if (this.#server !== undefined) this.#leave(this.#server)
    this.#closed.resolve()
  }

  #leave(server: PortConnection): void {
    if (this.#to !== server) return server.close()
    // A port that is closed has no tools any more, which is what is wanted.
    for (const name of this.#tools) void server.unregister(name).catch(() => undefined)
  }

  #send(message: ServerMessage): void {
    if (this.#open) this.#channel.send(encode(message))
  }

  #fail(id: string | undefined, thrown: unknown): void {
    const runId = thrown instanceof ToolsmithError ? thrown.runId : undefined
    this.#send({ type: 'error', ...(id === undefined ? {} : { id }), error: errorData(thrown), ...(runId === undefined ? {} : { runId }) })
  }

  #take(value: JsonObject): void {
    const message = readHostMessage(value)
    if (message.type === 'fault') {
      if (this.#guest === undefined) return this.close()
      return this.#fail(message.id, new ToolsmithError('PORT_MESSAGE_INVALID', message.message, { field: message.field }))
    }
    if (message.type === 'hello') {
      if (this.#guest !== undefined) return this.#fail(undefined, new ToolsmithError('PORT_MESSAGE_INVALID', 'A port is greeted once.'))
      void this.#welcome(message)
    } else if (this.#server === undefined) {
      this.close()
    } else {
      this.#answer(message, this.#server)
    }
  }

  async #welcome(hello: Extract<HostMessage, { type: 'hello' }>): Promise<void> {
    if (hello.protocol !== 1 || !portName.test(hello.name)) return this.close()
    this.#guest = hello.name
    try {
      const server =
        this.#to instanceof PortConnection
          ? this.#to
          : ((await connect(this.#to, { ...this.#options.connect, name: hello.name })) as PortConnection)
      this.#server = server
      if (!this.#open) return this.#leave(server)
      void server.closed.then(() => this.close())
      const { name = '', version = '', limits = defaultLimits } = server.server ?? {}
      this.#send({ type: 'hello', protocol: 1, server: name, version, limits: { ...limits, messageBytes: defaultLimits.messageBytes } })
    } catch (thrown) {
      this.#fail(undefined, thrown)
      this.close()
    }
  }

  #answer(message: Exclude<HostMessage, { type: 'hello' }>, server: PortConnection): void {
    switch (message.type) {
      case 'register':
        void this.#register(message.id, message.tool, server)
        return
      case 'unregister':
        void this.#unregister(message.id, message.name, server)
        return
      case 'progress': {
        this.#forwarded.get(message.call)?.call.progress(message.done, message.total, message.note)
        return
      }
      case 'result':
        this.#result(message)
        return
      case 'error':
        if (message.call !== undefined) this.#forwarded.get(message.call)?.answer.reject(errorFrom(message.error))
        return
      case 'context':
        void this.#context(message, server)
        return
      case 'call':
        void this.#call(message, server)
        return
      case 'cancel':
        this.#calls.get(message.id)?.abort()
        return
      case 'ping':
        this.#send({ type: 'pong', id: message.id })
    }
  }

  async #register(id: string, tool: WireTool, server: PortConnection): Promise<void> {
    try {
      const wire = checkedTool(tool)
      const { name } = wire
      const { tools } = this.#options
      if (tools !== undefined && !tools.includes(name)) {
        throw new ToolsmithError('PORT_TOOL_REFUSED', `The page does not let this guest supply a tool "${name}".`)
      }
      const mine = this.#tools.has(name)
      if (!mine && server.has(name)) throw new ToolsmithError('TOOL_EXISTS', `There is a tool "${name}" already.`)
      this.#tools.add(name)
      try {
        await server.registerHostTool({ wire, serve: (call) => this.#forward(call, wire) })
      } catch (thrown) {
        if (!mine) this.#tools.delete(name)
        throw thrown
      }
      this.#send({ type: 'registered', id, name })
    } catch (thrown) {
      this.#fail(id, thrown)
    }
  }

  async #unregister(id: string, name: string, server: PortConnection): Promise<void> {
    try {
      if (this.#tools.delete(name)) await server.unregister(name)
      this.#send({ type: 'unregistered', id })
    } catch (thrown) {
      this.#fail(id, thrown)
    }
  }

  async #forward(call: ServedCall, wire: WireTool): Promise<unknown> {
    const id = `c${++this.#lastId}`
    const answer = withResolvers<unknown>()
    if (!this.#open) throw new ToolsmithError('PORT_CLOSED', `The guest "${this.#guest ?? ''}" is gone.`)
    const stop = (): void => {
      const reason = call.signal.reason instanceof Error ? call.signal.reason.message : ''
      this.#send({ type: 'cancel', call: id, reason })
      answer.reject(call.signal.reason)
    }
    call.signal.addEventListener('abort', stop, { once: true })
    this.#forwarded.set(id, { call, wire, answer })
    try {
      this.#send({
        type: 'call',
        id,
        tool: call.tool,
        arguments: call.arguments,
        ...(call.taskId === undefined ? {} : { taskId: call.taskId }),
        ...(call.runId === undefined ? {} : { runId: call.runId }),
        ...(call.caller === undefined ? {} : { caller: call.caller }),
        deadline: call.deadline,
      })
      return await answer.promise
    } finally {
      this.#forwarded.delete(id)
      call.signal.removeEventListener('abort', stop)
    }
  }

  #result(message: Extract<HostMessage, { type: 'result' }>): void {
    const forwarded = this.#forwarded.get(message.call)
    if (forwarded === undefined) return
    try {
      forwarded.answer.resolve(message.subtasks === undefined ? (message.value ?? null) : createSubtasksResult(message.subtasks))
    } catch (thrown) {
      forwarded.answer.reject(thrown)
    }
  }

  async #context(message: Extract<HostMessage, { type: 'context' }>, server: PortConnection): Promise<void> {
    const { id, method, arguments: args = {} } = message
    if (this.#asked >= mostOpen) return this.#fail(id, busy())
    this.#asked++
    try {
      const forwarded = this.#forwarded.get(message.call)
      if (forwarded === undefined) throw unavailable(method, 'the call is over.')
      if (method === 'fetch' || method === 'progress' || forwarded.wire.context?.includes(method) !== true) {
        throw unavailable(method, `the tool "${forwarded.wire.name}" does not declare "${method}" in its context.`)
      }
      this.#send({ type: 'context', id, value: await contextValue(forwarded.call, method, args, server) })
    } catch (thrown) {
      this.#fail(id, thrown)
    } finally {
      this.#asked--
    }
  }

  async #call(message: Extract<HostMessage, { type: 'call' }>, server: PortConnection): Promise<void> {
    const { id, tool, taskId, key } = message
    const { calls = [] } = this.#options
    const controller = new AbortController()
    try {
      if (this.#calls.has(id)) throw new ToolsmithError('PORT_MESSAGE_INVALID', `A call with the id "${id}" is under way already.`)
      if (this.#calls.size >= mostOpen) throw busy()
      // Whether there is such a tool is none of the guest's business.
      if (calls !== 'all' && !calls.includes(tool)) throw new ToolsmithError('TOOL_UNKNOWN', `There is no tool "${tool}" for this guest.`)
      if (taskId !== undefined && ![...this.#forwarded.values()].some(({ call }) => call.taskId === taskId)) {
        throw new ToolsmithError('PORT_MESSAGE_INVALID', 'No call of this guest that is under way has this task.', { field: '$.taskId' })
      }
    } catch (thrown) {
      return this.#fail(id, thrown)
    }
    this.#calls.set(id, controller)
    try {
      const { value, runId } = await server.call(tool, message.arguments, {
        signal: controller.signal,
        title: message.title,
        taskId,
        deadline: message.deadline,
        // On a port that is shared, a guest must not attach to what the page or another guest runs.
        key: key === undefined || server !== this.#to ? key : `${this.#guest ?? ''}:${key}`,
        onProgress: ({ done, total, note }) => this.#send({ type: 'progress', id, done, total, ...(note === undefined ? {} : { note }) }),
      })
      this.#send({ type: 'result', id, value, ...(runId === undefined ? {} : { runId }) })
    } catch (thrown) {
      this.#fail(id, thrown)
    } finally {
      this.#calls.delete(id)
    }
  }
}

async function contextValue(call: ServedCall, method: string, args: JsonObject, server: PortConnection): Promise<Json> {
  const info = { tool: call.tool, taskId: call.taskId, runId: call.runId, signal: call.signal }
  const { ask, popup } = server.context
  if (method === 'ask' && ask !== undefined) return await ask.call(server.context, args as object as Form, info)
  if (method === 'popup' && popup !== undefined) {
    await popup.call(server.context, String(args['url']), info)
    return null
  }
  return await call.ask(method, args)
}

function busy(): ToolsmithError {
  return new ToolsmithError('PORT_BUSY', `A guest has at most ${mostOpen} requests open at once.`)
}

const wireFields = ['name', 'title', 'description', 'longDescription', 'version', 'parameters', 'result', 'renderOptions', 'timeout', 'readOnly', 'idempotent']

/** Takes from what a guest registers the fields that are known, and refuses what is wrong with them. */
function checkedTool(tool: WireTool): WireTool {
  const given = tool as unknown as { readonly [field: string]: unknown }
  const known = Object.fromEntries(wireFields.filter((field) => given[field] !== undefined).map((field) => [field, given[field]]))
  const problems = declarationProblems({ ...known, function: () => null }, 'client')
  if (problems.length > 0 || !isObject(tool)) throw invalidDeclaration(problems)
  const context = Array.isArray(tool.context) ? tool.context.filter((method) => contextMethods.has(method)) : []
  return { ...(known as unknown as WireTool), context }
}
