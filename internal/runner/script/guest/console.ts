// console, whose lines go to the log of the call.
import { hostCall } from './host.ts'
import { format } from './inspect.ts'

const line =
  (level: string) =>
  (...args: unknown[]): void => {
    hostCall('log', level, format(args))
  }

/** Makes the console of a realm. */
export function makeConsole(): object {
  return { log: line('log'), info: line('info'), debug: line('debug'), warn: line('warn'), error: line('error') }
}
