// The two ways over to the host: calls that it answers at once, and requests that it settles some
// time, each with a number of its own.
import { ToolsmithError, type ErrorData } from '../../../../sdk/js/src/error.ts'
import { apply, deleteProperty, mapClear, mapDelete, mapGet, mapSet, parse, SafePromise, stringify, text } from './primordials.ts'

const host = globalThis.__host
deleteProperty(globalThis, '__host')

/** Calls the host, and gives what it answers at once. It throws where the arguments are too long to be handed over. */
export function hostCall(...args: string[]): string {
  return apply(host, undefined, args) as string
}

interface Pending {
  done(value: unknown): void
  failed(reason: unknown): void
}

const pending = new Map<number, Pending>()
let last = 0

/** What goes on: before a call there are only declarations, and nothing that waits. */
export const state = { phase: 'loading' as 'loading' | 'running' | 'ended' }

/** What is done before each request, so that requests keep their order. */
export const hooks = { beforeAsk: (): void => undefined }

/** A request that was made. */
export interface Request<T> {
  readonly answer: Promise<T>
  /** Tells the host that nobody waits any more, and fails the answer. */
  cancel(reason: unknown): void
}

function notLoading(what: string): void {
  if (state.phase !== 'loading') return
  throw new ToolsmithError('CONTEXT_UNAVAILABLE', `${what} is not available here: a tool is being loaded. Use it in the function of the tool.`)
}

/** Asks the host to carry out a method of the context. */
export function ask<T>(method: string, args: object): Request<T> {
  notLoading(method)
  hooks.beforeAsk()
  const id = ++last
  const answer = new SafePromise<T>((resolve, reject) => {
    mapSet(pending, id, { done: resolve as (value: unknown) => void, failed: reject })
  })
  hostCall('ask', text(id), method, stringify(args))
  return {
    answer,
    cancel(reason) {
      const one = mapGet(pending, id)
      if (one === undefined) return
      mapDelete(pending, id)
      hostCall('cancel', text(id))
      one.failed(reason)
    },
  }
}

/** Has the host call back after so many milliseconds; gives the number of the timer. */
export function startTimer(milliseconds: number, due: () => void): number {
  notLoading('A timer')
  const id = ++last
  mapSet(pending, id, { done: due, failed: () => undefined })
  hostCall('timer', text(id), text(milliseconds))
  return id
}

/** Forgets a timer, where it is not due yet. */
export function stopTimer(id: number): void {
  if (mapDelete(pending, id)) hostCall('cancel', text(id))
}

/** Settles what the host has come to an end with. */
export function settle(id: string, how: string, json: string): void {
  const one = mapGet(pending, +id)
  if (one === undefined) return
  mapDelete(pending, +id)
  if (how === 'done') one.done(parse(json))
  else one.failed(errorOf(parse(json) as ErrorData))
}

/** Forgets all that was asked for. */
export function forget(): void {
  mapClear(pending)
}

/** Makes the error that the host has told of. */
export function errorOf(data: ErrorData): ToolsmithError {
  return new ToolsmithError(data.code, data.message, { field: data.field })
}
