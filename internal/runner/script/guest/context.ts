// The context of a call: what it may use of its host.
import { ToolsmithError } from '../../../../sdk/js/src/error.ts'
import { plain, type Json } from '../../../../sdk/js/src/json.ts'
import { createSubtasksResult, readChain, type ChainTask } from '../../../../sdk/js/src/tasks.ts'
import { abortSignal, reportUncaught, stopSignal, type AbortSignal } from './events.ts'
import { fetchFor, type Request, type RequestInit, type Response } from './fetch.ts'
import { ask, errorOf, hooks, hostCall, state } from './host.ts'
import { freeze, parse, then, SafePromise } from './primordials.ts'
import type { URL } from './url.ts'

/** What the host says of a call. */
export interface Info {
  readonly toolId: string
  readonly taskId?: string
  readonly runId?: string
  readonly seed: readonly [number, number, number, number]
}

interface ChainOptions {
  readonly projection?: 'lineage' | 'flattened'
  readonly maxTasks?: number
  readonly maxBytes?: number
}

interface Form {
  readonly title: string
  readonly text?: string
  readonly schema?: object
}

interface Note {
  readonly done: number
  readonly total: number
  readonly note?: string
}

let current: AbortSignal | undefined

function invalid(message: string): ToolsmithError {
  return new ToolsmithError('ARGUMENTS_INVALID', message)
}

function named(method: string, name: unknown): string {
  if (typeof name !== 'string') throw invalid(`${method} takes the name of a secret, which is a text.`)
  return name
}

/** Why the call is to stop, while it is. */
function whyStopped(): unknown {
  const answer = hostCall('stopped')
  return answer === '' ? undefined : errorOf(parse(answer))
}

/** Makes the context of a call. */
export function makeContext(info: Info): object {
  hooks.beforeAsk = flushProgress
  const stop = (current = stopSignal(whyStopped))
  return freeze({
    stopSignal: stop,
    toolId: info.toolId,
    taskId: info.taskId,
    runId: info.runId,
    createSubtasksResult,
    getExecutionTaskChain,
    getSecret: async (name: string, askNew = false, saveNew = true): Promise<string> =>
      await ask<string>('getSecret', { name: named('getSecret', name), askNew: Boolean(askNew), saveNew: Boolean(saveNew) }).answer,
    setSecret: async (name: string, value: string): Promise<void> => {
      if (typeof value !== 'string') throw invalid('setSecret takes the value of a secret, which is a text.')
      await ask('setSecret', { name: named('setSecret', name), value }).answer
    },
    getCallingToolId: async (): Promise<string> => await ask<string>('getCallingToolId', {}).answer,
    progress,
    interaction,
    popup: async (url: string | URL): Promise<void> => {
      await ask('popup', { url: String(url) }).answer
    },
    fetch: (input: string | URL | Request, init?: RequestInit): Promise<Response> => fetchFor(stop, input, init),
  })
}

/** The fetch of the call that runs. */
export async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  if (current === undefined) throw new ToolsmithError('CONTEXT_UNAVAILABLE', 'fetch is not available here: a tool is being loaded. Use it in the function of the tool.')
  return await fetchFor(current, input, init)
}

/** Has the signal of the call tell its listeners. */
export function stopCall(reason: string): void {
  if (current !== undefined) abortSignal(current, errorOf(parse(reason)))
}

async function getExecutionTaskChain(options: ChainOptions = {}): Promise<ChainTask[]> {
  const { projection, maxTasks, maxBytes } = options
  if (projection !== undefined && projection !== 'lineage' && projection !== 'flattened') {
    throw invalid('The projection of getExecutionTaskChain is "lineage" or "flattened".')
  }
  for (const bound of [maxTasks, maxBytes]) {
    if (bound !== undefined && !(Number.isSafeInteger(bound) && bound >= 0)) throw invalid('maxTasks and maxBytes of getExecutionTaskChain are whole numbers from 0.')
  }
  return readChain(await ask('getExecutionTaskChain', { flattened: projection === 'flattened', maxTasks, maxBytes }).answer)
}

async function interaction(form: Form): Promise<Json> {
  if (typeof form !== 'object' || form === null || typeof form.title !== 'string') {
    throw invalid('interaction takes {title, text?, schema?}, and the title is a text.')
  }
  const { title, text = '', schema } = form
  if (typeof text !== 'string') throw invalid('The text of an interaction is a text.')
  return await ask<Json>('interaction', { title, text, ...(schema === undefined ? {} : { schema: plain(schema, 'ARGUMENTS_INVALID', '$.schema') }) }).answer
}

// What progress was told last, and not handed over yet. Of notes that follow each other without a
// pause only the last one counts, so that a loop may tell of each of its rounds.
let noted: { args: object; done(value: unknown): void; failed(reason: unknown): void; answer: Promise<unknown> } | undefined

/** Shows how far the call is: progress(done, total, note?) or progress({done, total, note?}). */
function progress(first: number | Note, total?: number, note?: string): Promise<unknown> {
  const given = typeof first === 'object' && first !== null ? first : { done: first, total: total as number, note: note as string }
  const args = { done: Number(given.done), total: Number(given.total), note: given.note === undefined ? '' : String(given.note) }
  if (!Number.isFinite(args.done) || !Number.isFinite(args.total)) {
    return SafePromise.reject(invalid('progress takes numbers: how much is done, of how much, and a note.'))
  }
  if (noted !== undefined) {
    noted.args = args
    return noted.answer
  }
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  noted = { args, done: resolve, failed: reject, answer: promise }
  void then(SafePromise.resolve(), flushProgress)
  // Nobody has to wait for it, and a failure is still seen.
  void then(promise, () => undefined, reportUncaught)
  return promise
}

/** Hands over what progress was told last. */
export function flushProgress(): void {
  const note = noted
  if (note === undefined) return
  noted = undefined
  if (state.phase !== 'running') return
  void then(ask('progress', note.args).answer, () => note.done(undefined), note.failed)
}
