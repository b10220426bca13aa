import type { Channel } from './channel.ts'

/** What waits to be sent. A key makes it one that a later one with the same key replaces. */
interface Waiting {
  text: string
  bytes: number
  readonly key: string | undefined
}

/** How much may wait, in bytes. */
export interface OutboxBounds {
  /** So much is handed to the channel before it has to take some of it. Default 1 MiB. */
  readonly high: number
  /** With more than that waiting here besides, the other side is too slow. Default 16 MiB. */
  readonly most: number
}

export const defaultOutbox: OutboxBounds = { high: 1 << 20, most: 16 << 20 }

// A WebSocket does not tell when it has sent something, so it is asked while much waits.
const pollEvery = 20

/**
 * Sends messages in their order, and holds them back while the other side does not take what it
 * was sent.
 */
export class Outbox {
  readonly #channel: Channel
  readonly #bounds: OutboxBounds
  readonly #tooSlow: () => void
  readonly #waiting: Waiting[] = []
  #bytes = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(channel: Channel, bounds: OutboxBounds, tooSlow: () => void) {
    this.#channel = channel
    this.#bounds = bounds
    this.#tooSlow = tooSlow
  }

  /** Bytes that wait here. */
  get waiting(): number {
    return this.#bytes
  }

  send(text: string, bytes: number, key?: string): void {
    if (this.#waiting.length === 0 && this.#channel.buffered() < this.#bounds.high) {
      this.#channel.send(text)
      return
    }
    const earlier = key === undefined ? undefined : this.#waiting.find((each) => each.key === key)
    if (earlier === undefined) {
      this.#waiting.push({ text, bytes, key })
      this.#bytes += bytes
    } else {
      this.#bytes += bytes - earlier.bytes
      earlier.text = text
      earlier.bytes = bytes
    }
    if (this.#bytes > this.#bounds.most) this.#tooSlow()
    else this.#timer ??= setTimeout(() => this.#drain(), pollEvery)
  }

  /** Forgets what waits, and leaves no timer. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.length = 0
    this.#bytes = 0
  }

  #drain(): void {
    this.#timer = undefined
    while (this.#waiting.length > 0 && this.#channel.buffered() < this.#bounds.high) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#bytes -= next.bytes
      this.#channel.send(next.text)
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#drain(), pollEvery)
  }
}
