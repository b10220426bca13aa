import { ToolsmithError } from './error.ts'
import type { Json, JsonObject } from './json.ts'
import type { HostMessage, ServerMessage } from './protocol.ts'

/** How far a call has come. */
export interface ProgressNote {
  readonly done: number
  readonly total: number
  readonly note: string | undefined
}

/** How a tool of the server is called. */
export interface OutgoingCall {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: ProgressNote) => void) | undefined
  /** What people see of the run. */
  readonly title?: string | undefined
  /**
   * Idempotency key: a second call with it attaches to the run of the first, and nothing happens
   * twice. A call with a key outlasts a drop of the port; one without fails with PORT_CLOSED.
   */
  readonly key?: string | undefined
  /** The task for which the call is made: `context.taskId` in the function of a tool. */
  readonly taskId?: string | undefined
  /** Milliseconds until the call is given up. Default: as long as the server lets a run take. */
  readonly deadline?: number | undefined
}

/** What a call came to. */
export interface CallResult {
  readonly value: Json
  /** The run that it was. */
  readonly runId: string | undefined
}

/** The way to the server. */
export interface CallLine {
  send(message: HostMessage): void
  isOpen(): boolean
  newId(): string
}

interface Open {
  readonly tool: string
  readonly args: JsonObject
  readonly options: OutgoingCall
  readonly until: number
  sent: boolean
  readonly resolve: (result: CallResult) => void
  readonly reject: (error: ToolsmithError) => void
}

const mostOpen = 1000

/** The calls that this host has made and that are not settled. */
export class Calls {
  readonly #line: CallLine
  readonly #open = new Map<string, Open>()

  constructor(line: CallLine) {
    this.#line = line
  }

  async make(tool: string, args: JsonObject, options: OutgoingCall): Promise<CallResult> {
    const { signal, deadline } = options
    if (signal?.aborted === true) throw aborted(signal)
    if (this.#open.size >= mostOpen) {
      throw new ToolsmithError('PORT_BUSY', `${mostOpen} calls are under way, and no more are made at once.`)
    }
    const id = this.#line.newId()
    const stop = (): void => this.#giveUp(id, aborted(signal))
    const timer =
      deadline === undefined
        ? undefined
        : setTimeout(() => {
            this.#giveUp(id, new ToolsmithError('CALL_TIME_EXCEEDED', `The call of "${tool}" was given up after ${deadline} ms.`))
          }, Math.min(deadline, 2 ** 31 - 1))
    signal?.addEventListener('abort', stop, { once: true })
    try {
      return await new Promise<CallResult>((resolve, reject) => {
        const until = deadline === undefined ? Infinity : performance.now() + deadline
        this.#open.set(id, { tool, args, options, until, sent: false, resolve, reject })
        if (this.#line.isOpen()) this.#send(id)
      })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      this.#open.delete(id)
    }
  }

  /** The port is open: what waits is sent. */
  opened(): void {
    for (const id of this.#open.keys()) this.#send(id)
  }

  /** The port is gone. What was sent without a key may have happened, so it is not sent again. */
  dropped(error: ToolsmithError): void {
    for (const call of this.#open.values()) {
      if (call.sent && call.options.key === undefined) call.reject(error)
      else call.sent = false
    }
  }

  stop(error: ToolsmithError): void {
    for (const call of this.#open.values()) call.reject(error)
    this.#open.clear()
  }

  progress(message: Extract<ServerMessage, { type: 'progress' }>): void {
    const onProgress = this.#open.get(message.id)?.options.onProgress
    const { done, total, note } = message
    if (onProgress !== undefined) queueMicrotask(() => onProgress({ done, total, note }))
  }

  result(message: Extract<ServerMessage, { type: 'result' }>): void {
    this.#open.get(message.id)?.resolve({ value: message.value ?? null, runId: message.runId })
  }

  error(id: string, error: ToolsmithError): void {
    this.#open.get(id)?.reject(error)
  }

  #send(id: string): void {
    const call = this.#open.get(id)
    if (call === undefined || call.sent) return
    const { title, key, taskId } = call.options
    const optional = {
      ...(title === undefined ? {} : { title }),
      ...(key === undefined ? {} : { key }),
      ...(taskId === undefined ? {} : { taskId }),
      ...(call.until === Infinity ? {} : { deadline: Math.max(1, Math.round(call.until - performance.now())) }),
    }
    try {
      this.#line.send({ type: 'call', id, tool: call.tool, arguments: call.args, ...optional })
      call.sent = true
    } catch (thrown) {
      const error = thrown as ToolsmithError
      call.reject(error.code === 'PORT_MESSAGE_TOO_LARGE' ? new ToolsmithError('ARGUMENTS_TOO_LARGE', `The call cannot be sent. ${error.message}`) : error)
    }
  }

  #giveUp(id: string, error: ToolsmithError): void {
    const call = this.#open.get(id)
    if (call === undefined) return
    if (call.sent && this.#line.isOpen()) this.#line.send({ type: 'cancel', id })
    call.reject(error)
  }
}

function aborted(signal: AbortSignal | undefined): ToolsmithError {
  return new ToolsmithError('ABORTED', 'The call was cancelled here.', { cause: signal?.reason })
}
