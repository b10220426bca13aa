// setTimeout and clearTimeout. The time is the host's, and a timer ends with its call.
import { clampTime, reportUncaught } from './events.ts'
import { startTimer, stopTimer } from './host.ts'
import { apply } from './primordials.ts'

/** Calls a function after so many milliseconds, and gives the number of the timer. */
export function setTimeout(callback: (...args: unknown[]) => unknown, milliseconds?: number, ...args: unknown[]): number {
  if (typeof callback !== 'function') throw new TypeError('setTimeout takes a function')
  return startTimer(clampTime(milliseconds), () => {
    try {
      apply(callback, undefined, args)
    } catch (thrown) {
      reportUncaught(thrown)
    }
  })
}

/** Stops a timer that is not due yet. */
export function clearTimeout(id?: unknown): void {
  if (typeof id === 'number') stopTimer(id)
}
