import { errorData, ToolsmithError, unavailable } from './error.ts'
import type { Json, JsonObject } from './json.ts'
import { plain } from './json.ts'
import type { HostMessage, ServerMessage, WireTool } from './protocol.ts'
import { isSubtasksResult } from './tasks.ts'

/** A tool as the connection serves it: what is registered, and what a call of it does. */
export interface HostTool {
  readonly wire: WireTool
  /** Gives a value, or what createSubtasksResult made. */
  serve(call: ServedCall): Promise<unknown>
}

/** One call that the server made. */
export interface ServedCall {
  readonly id: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly taskId: string | undefined
  readonly runId: string | undefined
  readonly caller: string | undefined
  /** Milliseconds that it may take, from its arrival. */
  readonly deadline: number
  readonly signal: AbortSignal
  /** Asks the server for a context method that the tool registered. */
  ask(method: string, args: JsonObject): Promise<Json>
  progress(done: number, total: number, note?: string): void
}

/** The way to the server, as a call uses it. */
export interface ServingLine {
  send(message: HostMessage, key?: string): void
  ask(call: string, method: string, args: JsonObject, signal: AbortSignal): Promise<Json>
}

type CallMessage = Extract<ServerMessage, { type: 'call' }>

interface UnderWay {
  readonly controller: AbortController
  readonly deadline: ReturnType<typeof setTimeout>
  readonly progress: Progress
}

const defaultDeadline = 30_000
// Longer delays make setTimeout fire at once.
const longestTimer = 2 ** 31 - 1

/** The calls of tools of this host that are under way. */
export class Serving {
  readonly #line: ServingLine
  readonly #underWay = new Map<string, UnderWay>()
  // Functions that have not returned, also those whose calls nobody wants any more.
  #running = 0

  constructor(line: ServingLine) {
    this.#line = line
  }

  /** Calls whose results are still wanted. */
  get size(): number {
    return this.#underWay.size
  }

  /** Carries out a call. */
  take(message: CallMessage, tool: HostTool | undefined, most: number): void {
    if (this.#underWay.has(message.id)) {
      this.#fail(message.id, new ToolsmithError('PORT_MESSAGE_INVALID', `A call with the id "${message.id}" is under way already.`))
    } else if (tool === undefined) {
      this.#fail(message.id, new ToolsmithError('TOOL_UNKNOWN', `This host has no tool "${message.tool}".`))
    } else if (this.#underWay.size >= most || this.#running >= 2 * most) {
      this.#fail(message.id, new ToolsmithError('PORT_BUSY', 'This host carries out as many calls at once as it can.'))
    } else {
      void this.#carryOut(message, tool)
    }
  }

  async #carryOut(message: CallMessage, tool: HostTool): Promise<void> {
    const { id } = message
    const deadline = message.deadline ?? defaultDeadline
    const call: UnderWay = {
      controller: new AbortController(),
      progress: new Progress((done, total, note) => {
        this.#line.send({ type: 'progress', call: id, done, total, ...(note === undefined ? {} : { note }) }, id)
      }),
      deadline: setTimeout(() => {
        const error = new ToolsmithError('CALL_TIME_EXCEEDED', `The call took longer than ${deadline} ms.`)
        if (this.#stop(id, error)) this.#fail(id, error)
      }, Math.min(Math.max(deadline, 0), longestTimer)),
    }
    this.#underWay.set(id, call)
    const wanted = (): boolean => this.#underWay.get(id) === call
    this.#running++
    try {
      const value = await tool.serve(this.#served(message, deadline, call, wanted))
      if (!wanted()) return
      call.progress.flush()
      this.#line.send(resultMessage(id, value))
    } catch (thrown) {
      if (!wanted()) return
      this.#fail(id, tooLarge(thrown))
    } finally {
      this.#running--
      if (wanted()) this.#forget(id, call)
    }
  }

  #served(message: CallMessage, deadline: number, call: UnderWay, wanted: () => boolean): ServedCall {
    const { signal } = call.controller
    return {
      id: message.id,
      tool: message.tool,
      arguments: message.arguments,
      taskId: message.taskId,
      runId: message.runId,
      caller: message.caller,
      deadline,
      signal,
      ask: async (method, args) => {
        if (signal.aborted) throw signal.reason
        if (!wanted()) throw unavailable(method, 'the call is over.')
        return await this.#line.ask(message.id, method, args, signal)
      },
      progress: (done, total, note) => {
        if (wanted()) call.progress.show(done, total, note)
      },
    }
  }

  /** The server does not want a call any more. */
  cancel(id: string, reason: string | undefined): void {
    this.#stop(id, new ToolsmithError('ABORTED', reason === undefined || reason === '' ? 'The call was cancelled.' : reason))
  }

  /** Nobody wants any call any more, since nothing reaches the server. */
  stopAll(error: ToolsmithError): void {
    for (const id of [...this.#underWay.keys()]) this.#stop(id, error)
  }

  #stop(id: string, error: ToolsmithError): boolean {
    const call = this.#underWay.get(id)
    if (call === undefined) return false
    this.#forget(id, call)
    call.controller.abort(error)
    return true
  }

  #forget(id: string, call: UnderWay): void {
    clearTimeout(call.deadline)
    call.progress.stop()
    this.#underWay.delete(id)
  }

  #fail(id: string, thrown: unknown): void {
    try {
      this.#line.send({ type: 'error', call: id, error: errorData(thrown) })
    } catch {
      // Details that do not fit or are no JSON: what it is about still arrives.
      const { code, message } = errorData(thrown)
      this.#line.send({ type: 'error', call: id, error: { code, message } })
    }
  }
}

function resultMessage(call: string, value: unknown): HostMessage {
  if (isSubtasksResult(value)) return { type: 'result', call, subtasks: value.chains }
  return { type: 'result', call, value: plain(value, 'RESULT_INVALID') }
}

function tooLarge(thrown: unknown): unknown {
  if (!(thrown instanceof ToolsmithError) || thrown.code !== 'PORT_MESSAGE_TOO_LARGE') return thrown
  return new ToolsmithError('RESULT_TOO_LARGE', `The result cannot be sent. ${thrown.message}`)
}

const progressEvery = 50
const longestNote = 1000

/** Thins out the progress of one call, so that a busy loop does not fill the line. */
class Progress {
  readonly #send: (done: number, total: number, note: string | undefined) => void
  #next: [number, number, string | undefined] | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(send: (done: number, total: number, note: string | undefined) => void) {
    this.#send = send
  }

  show(done: number, total: number, note: string | undefined): void {
    if (!Number.isFinite(done) || !Number.isFinite(total)) {
      throw new ToolsmithError('RESULT_INVALID', 'Progress is two finite numbers: how much is done, and of how much.')
    }
    this.#next = [done, total, note?.replace(/\p{Surrogate}/gu, '\uFFFD').slice(0, longestNote).replace(/\p{Surrogate}$/u, '')]
    if (this.#timer === undefined) this.flush()
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#next === undefined) return
    const next = this.#next
    this.#next = undefined
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.flush()
    }, progressEvery)
    this.#send(...next)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#next = undefined
  }
}
