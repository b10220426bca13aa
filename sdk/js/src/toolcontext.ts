import type { ChainOptions, ContextMethod, Form, ToolContext } from './context.ts'
import { ToolsmithError, unavailable } from './error.ts'
import type { ClientTool } from './declare.ts'
import { plain, type Json, type JsonObject } from './json.ts'
import type { WireTool } from './protocol.ts'
import type { HostTool, ServedCall } from './serving.ts'
import { createSubtasksResult, readChain } from './tasks.ts'

/** Which call a context method is used for. */
export interface CallInfo {
  readonly tool: string
  readonly taskId: string | undefined
  readonly runId: string | undefined
  readonly signal: AbortSignal
}

/**
 * Context methods that this host carries out itself, for the tools that declare them. What is left
 * out is asked of the server, save `fetch`, which is the one of the platform.
 */
export interface HostContext {
  /** Puts a form before the person and gives the answer. */
  ask?(form: Form, call: CallInfo): Promise<Json>
  /** Opens a page for the person. */
  popup?(url: string, call: CallInfo): Promise<void>
  /** Reaches the network. */
  fetch?(input: URL, init: RequestInit): Promise<Response>
}

/** Makes of a client tool what a connection serves. */
export function hostTool(tool: ClientTool, host: HostContext): HostTool {
  const methods = declaredMethods(tool)
  return {
    wire: wireTool(tool, methods),
    serve: (call) => tool.call(call.arguments, toolContext(call, tool, methods, host)),
  }
}

function declaredMethods(tool: ClientTool): ReadonlySet<ContextMethod> {
  const { context, secrets, network } = tool.declaration
  const methods = new Set<ContextMethod>(context)
  methods.add('progress')
  if (secrets !== undefined && secrets.length > 0) methods.add('secret').add('setSecret')
  if (network !== undefined && network.length > 0) methods.add('fetch')
  return methods
}

function wireTool(tool: ClientTool, methods: ReadonlySet<ContextMethod>): WireTool {
  const { network: _, secrets: __, calls: ___, context: ____, ...wire } = tool.declaration
  // Sorted, so that the same declaration is the same text whoever writes it.
  return { ...(wire as object as WireTool), context: [...methods].sort() }
}

function toolContext(call: ServedCall, tool: ClientTool, methods: ReadonlySet<ContextMethod>, host: HostContext): ToolContext {
  const { signal } = call
  const info: CallInfo = { tool: tool.name, taskId: call.taskId, runId: call.runId, signal }
  const need = (method: ContextMethod, name: string): void => {
    if (!methods.has(method)) throw unavailable(name, `the tool "${tool.name}" does not declare "${method}" in its context.`)
  }
  const needSecret = (name: string): void => {
    const { secrets } = tool.declaration
    if (secrets !== undefined && !secrets.includes(name)) {
      throw new ToolsmithError('SECRET_NOT_DECLARED', `The tool "${tool.name}" does not declare the secret "${name}".`)
    }
  }
  return {
    stopSignal: signal,
    toolId: tool.name,
    taskId: call.taskId,
    runId: call.runId,
    createSubtasksResult,
    getExecutionTaskChain: async (options: ChainOptions = {}) => {
      need('chain', 'getExecutionTaskChain')
      if (call.taskId === undefined) throw unavailable('getExecutionTaskChain', 'the call is not part of a run.')
      return readChain(await call.ask('chain', plain(options, 'ARGUMENTS_INVALID') as JsonObject))
    },
    getSecret: async (name, askNew = false, saveNew = true) => {
      need('secret', 'getSecret')
      needSecret(name)
      const value = await call.ask('secret', { name, askNew, saveNew })
      if (typeof value !== 'string') throw new ToolsmithError('SECRET_MISSING', `The tool "${tool.name}" has no secret "${name}".`)
      return value
    },
    setSecret: async (name, value) => {
      need('setSecret', 'setSecret')
      needSecret(name)
      await call.ask('setSecret', { name, value })
    },
    getCallingToolId: async () => {
      if (call.caller !== undefined) return call.caller
      need('caller', 'getCallingToolId')
      return String(await call.ask('caller', {}))
    },
    progress: (done, total, note) => call.progress(done, total, note),
    interaction: async (form) => {
      need('ask', 'interaction')
      return host.ask === undefined ? await call.ask('ask', plain(form, 'ARGUMENTS_INVALID') as JsonObject) : await host.ask(form, info)
    },
    popup: async (url) => {
      need('popup', 'popup')
      const address = String(url)
      if (host.popup === undefined) await call.ask('popup', { url: address })
      else await host.popup(address, info)
    },
    fetch: async (input, init = {}) => {
      need('fetch', 'fetch')
      return await reach(input, init, tool, host, signal)
    },
  }
}

async function reach(input: string | URL, init: RequestInit, tool: ClientTool, host: HostContext, signal: AbortSignal): Promise<Response> {
  const url = new URL(input)
  const { network = [] } = tool.declaration
  if (!network.some((allowed) => sameOrigin(allowed, url))) {
    throw new ToolsmithError('OUTBOUND_HOST_REFUSED', `The tool "${tool.name}" does not declare the host ${url.host} (${url.protocol}//) in "network".`)
  }
  const signals = init.signal === undefined || init.signal === null ? signal : AbortSignal.any([signal, init.signal])
  // A redirect could lead to a host that is not declared, and pages do not get to see where.
  const bounded: RequestInit = { ...init, signal: signals, redirect: 'error' }
  return await (host.fetch === undefined ? globalThis.fetch(url, bounded) : host.fetch(url, bounded))
}

function sameOrigin(allowed: string, url: URL): boolean {
  return new URL(allowed.includes('://') ? allowed : `https://${allowed}`).origin === url.origin
}
