// Event, EventTarget, AbortController and AbortSignal, as far as tools need them: there is no tree
// in which events could rise.
import { hostCall, startTimer } from './host.ts'
import { inspect } from './inspect.ts'

/** Something that happened. */
export class Event {
  readonly type: string
  readonly cancelable: boolean
  readonly bubbles = false
  target: EventTarget | null = null
  currentTarget: EventTarget | null = null
  #prevented = false
  #stopped = false

  constructor(type: string, init: { readonly cancelable?: boolean } = {}) {
    this.type = String(type)
    this.cancelable = Boolean(init.cancelable)
  }

  get defaultPrevented(): boolean {
    return this.#prevented
  }

  preventDefault(): void {
    if (this.cancelable) this.#prevented = true
  }

  stopPropagation(): void {}

  stopImmediatePropagation(): void {
    this.#stopped = true
  }

  static stopped(event: Event): boolean {
    return event.#stopped
  }
}

const { stopped } = Event
Reflect.deleteProperty(Event, 'stopped')

type Handler = ((event: Event) => unknown) | { handleEvent(event: Event): unknown }

interface Listener {
  readonly handler: Handler
  readonly once: boolean
  gone: boolean
}

interface ListenerOptions {
  readonly once?: boolean
  readonly signal?: AbortSignal
}

/** Something that tells its listeners of events. */
export class EventTarget {
  readonly #listeners = new Map<string, Listener[]>()

  addEventListener(type: string, handler: Handler | null, options?: ListenerOptions | boolean): void {
    if (handler === null || handler === undefined) return
    const { once = false, signal } = typeof options === 'object' && options !== null ? options : {}
    if (signal?.aborted === true) return
    const list = this.#listeners.get(String(type)) ?? []
    this.#listeners.set(String(type), list)
    if (list.some((one) => one.handler === handler)) return
    list.push({ handler, once: Boolean(once), gone: false })
    signal?.addEventListener('abort', () => this.removeEventListener(type, handler), { once: true })
  }

  removeEventListener(type: string, handler: Handler | null): void {
    const list = this.#listeners.get(String(type))
    const at = list?.findIndex((one) => one.handler === handler) ?? -1
    if (list === undefined || at < 0) return
    const [one] = list.splice(at, 1)
    if (one !== undefined) one.gone = true
  }

  dispatchEvent(event: Event): boolean {
    if (!(event instanceof Event)) throw new TypeError('dispatchEvent takes an Event')
    event.target = event.currentTarget = this
    for (const one of [...(this.#listeners.get(event.type) ?? [])]) {
      if (one.gone) continue
      if (one.once) this.removeEventListener(event.type, one.handler)
      try {
        if (typeof one.handler === 'function') one.handler.call(this, event)
        else one.handler.handleEvent(event)
      } catch (thrown) {
        reportUncaught(thrown)
      }
      if (stopped(event)) break
    }
    event.currentTarget = null
    return !event.defaultPrevented
  }
}

/** Writes into the log what nobody caught. */
export function reportUncaught(thrown: unknown): void {
  hostCall('log', 'error', `Uncaught ${inspect(thrown)}`)
}

const made = Symbol('made here')

interface Inner {
  aborted: boolean
  reason: unknown
  /** Run before the event, each once. */
  readonly steps: Set<(reason: unknown) => void>
  /** Looks whether it is time, for the signal of the call itself. */
  poll: (() => unknown) | undefined
}

const inner = new WeakMap<AbortSignal, Inner>()

function of(signal: AbortSignal): Inner {
  const found = inner.get(signal)
  if (found === undefined) throw new TypeError('This is no AbortSignal')
  return found
}

/** Tells that something is to stop. */
export class AbortSignal extends EventTarget {
  onabort: ((event: Event) => unknown) | null = null

  constructor(token?: unknown) {
    super()
    if (token !== made) throw new TypeError('Illegal constructor: use an AbortController')
    inner.set(this, { aborted: false, reason: undefined, steps: new Set(), poll: undefined })
  }

  get aborted(): boolean {
    const self = of(this)
    if (!self.aborted && self.poll !== undefined) {
      const reason = self.poll()
      if (reason !== undefined) {
        self.reason ??= reason
        return true
      }
    }
    return self.aborted
  }

  get reason(): unknown {
    return this.aborted ? of(this).reason : undefined
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason
  }

  static abort(reason?: unknown): AbortSignal {
    const signal = new AbortSignal(made)
    abortSignal(signal, reason)
    return signal
  }

  static timeout(milliseconds: number): AbortSignal {
    const signal = new AbortSignal(made)
    startTimer(clampTime(milliseconds), () => abortSignal(signal, new DOMException('The operation was aborted due to timeout', 'TimeoutError')))
    return signal
  }

  static any(signals: Iterable<AbortSignal>): AbortSignal {
    const signal = new AbortSignal(made)
    const list = [...signals]
    for (const one of list) of(one)
    const found = list.find((one) => one.aborted)
    if (found !== undefined) {
      abortSignal(signal, found.reason)
      return signal
    }
    const leave = list.map((one) => onAbort(one, (reason) => abortSignal(signal, reason)))
    of(signal).steps.add(() => leave.forEach((each) => each()))
    return signal
  }

  get [Symbol.toStringTag](): string {
    return 'AbortSignal'
  }
}

/** A time to wait as setTimeout reads it, in whole milliseconds. */
export function clampTime(milliseconds: unknown): number {
  const whole = Math.trunc(Number(milliseconds))
  return whole >= 0 && whole <= 0x7fffffff ? whole : 0
}

/** Has a function called once when a signal is aborted, before its listeners; gives what takes that back. */
export function onAbort(signal: AbortSignal, step: (reason: unknown) => void): () => void {
  const { steps } = of(signal)
  steps.add(step)
  return () => void steps.delete(step)
}

/** Aborts a signal, once. */
export function abortSignal(signal: AbortSignal, reason?: unknown): void {
  const self = of(signal)
  if (self.aborted) return
  self.reason ??= reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason
  self.aborted = true
  const steps = [...self.steps]
  self.steps.clear()
  for (const step of steps) step(self.reason)
  const event = new Event('abort')
  try {
    if (typeof signal.onabort === 'function') signal.onabort(event)
  } catch (thrown) {
    reportUncaught(thrown)
  }
  signal.dispatchEvent(event)
}

/** Makes the signal of a call, which asks the host whether it is time when somebody looks. */
export function stopSignal(poll: () => unknown): AbortSignal {
  const signal = new AbortSignal(made)
  of(signal).poll = poll
  return signal
}

/** Aborts its signal. */
export class AbortController {
  readonly #signal = new AbortSignal(made)

  get signal(): AbortSignal {
    return this.#signal
  }

  abort(reason?: unknown): void {
    abortSignal(this.#signal, reason)
  }

  get [Symbol.toStringTag](): string {
    return 'AbortController'
  }
}
