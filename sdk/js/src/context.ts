import type { Json } from './json.ts'
import type { ChainTask, Subtasks, SubtasksResult } from './tasks.ts'

/** The context methods, by the names that they have on the wire. */
export type ContextMethod = 'chain' | 'secret' | 'setSecret' | 'caller' | 'ask' | 'popup' | 'progress' | 'fetch'

/** Which part of a run a tool wants to see. */
export interface ChainOptions {
  /**
   * 'lineage' (default): from the root down to this task, with what settled branches came to.
   * 'flattened': the whole run in the order of execution.
   */
  readonly projection?: 'lineage' | 'flattened'
  /** At most so many tasks; what is farthest from the task is left out first. Default: the host's own bound. */
  readonly maxTasks?: number
  /** At most so many bytes of JSON. Default: the host's own bound. */
  readonly maxBytes?: number
}

/** A question that is put before the person. */
export interface Form {
  /** At most 200 characters. */
  readonly title: string
  /** At most 4,000 characters. */
  readonly text?: string
  /** JSON Schema of the answer, at most 64 KiB; without one the question is answered with yes or no. */
  readonly schema?: object
}

/** The cancellation of a call. It is a standard AbortSignal. */
export type StopSignal = AbortSignal

/**
 * What a call may use of its host. What the host did not supply fails with CONTEXT_UNAVAILABLE
 * and the method's name; it never quietly does nothing.
 */
export interface ToolContext {
  /** What happened in the run before this call, earliest first. A call that is not part of a run has no chain. */
  getExecutionTaskChain(options?: ChainOptions): Promise<readonly ChainTask[]>
  /** Makes the result that lets chains run; see the function of the same name. */
  createSubtasksResult(subtasks: Subtasks): SubtasksResult
  /**
   * Reads a secret of this tool. It never belongs into a result, an error or a note.
   *
   * @param askNew the person is asked for a secret that is not there; default false
   * @param saveNew what the person gives is kept; default true
   * @throws SECRET_MISSING where it is not there, SECRET_NOT_DECLARED where the tool does not declare it
   */
  getSecret(name: string, askNew?: boolean, saveNew?: boolean): Promise<string>
  /** Keeps a secret for this tool, in place of an earlier one of that name. */
  setSecret(name: string, value: string): Promise<void>
  /** The tool, client or person that called. */
  getCallingToolId(): Promise<string>
  /** Aborted when the call is cancelled, its time is over, or the connection is gone. `reason` is a ToolsmithError. */
  readonly stopSignal: StopSignal
  /** Under which the tool runs. */
  readonly toolId: string
  /** The task that this call is; undefined for a call that is not part of a run. */
  readonly taskId: string | undefined
  /** The run that this call is part of. */
  readonly runId: string | undefined
  /** The network, and only hosts that the tool declares in `network`. Redirects are refused. */
  fetch(input: string | URL, init?: RequestInit): Promise<Response>
  /** Shows how far the call has come. Calls in quick succession are thinned out; the last one counts. */
  progress(done: number, total: number, note?: string): void
  /**
   * Puts a form before the person and gives the answer: true or false without a schema. Where the
   * server asks, a call that waits is cancelled, and made anew with the same arguments once there is
   * an answer, which it then gets at once. So it belongs before everything that has an effect, and the
   * tool asks the same, in the same order, each time.
   *
   * @throws INTERACTION_REFUSED where the person said no, INTERACTION_TIMEOUT, INTERACTION_INVALID
   */
  interaction(form: Form): Promise<Json>
  /**
   * Shows the person the address of a page to open, http or https, and goes on once they have done
   * there what is to be done. Otherwise it is like interaction.
   */
  popup(url: string | URL): Promise<void>
}
