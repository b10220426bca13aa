import { closeCodes, type Channel, type Dial } from './channel.ts'
import { ToolsmithError } from './error.ts'
import { byteLength, encode, type JsonObject } from './json.ts'
import { Outbox, type OutboxBounds } from './outbox.ts'
import { defaultLimits, readLimits, readServerMessage, type HostMessage, type Limits, type ServerMessage } from './protocol.ts'

/** What a server says of itself. */
export interface ServerInfo {
  readonly name: string
  readonly version: string
  readonly limits: Limits
}

/** How a link ended. */
export interface Ending {
  readonly code: number
  readonly reason: string
  /** The other side closed it, not this one. */
  readonly byServer: boolean
  /** What the server said was wrong, if it did before it closed. */
  readonly error?: ToolsmithError | undefined
}

export interface LinkOptions {
  readonly dial: Dial
  readonly name: string
  readonly version?: string | undefined
  readonly outbox: OutboxBounds
  /** Milliseconds for opening and being welcomed. */
  readonly helloTimeout: number
  /** Milliseconds between two pings; 0 for none. */
  readonly pingEvery: number
}

export interface LinkEvents {
  welcomed(server: ServerInfo): void
  message(message: Exclude<ServerMessage, { type: 'hello' }>): void
  ended(ending: Ending): void
}

/**
 * One channel from its opening to its end: the greeting, the bounds of messages, pings. It ends
 * once, and nothing comes after that.
 */
export class Link {
  limits: Limits = defaultLimits
  readonly #options: LinkOptions
  readonly #events: LinkEvents
  #channel: Channel | undefined
  #outbox: Outbox | undefined
  #state: 'opening' | 'greeting' | 'welcomed' | 'ended' = 'opening'
  #said: ToolsmithError | undefined
  #helloTimer: ReturnType<typeof setTimeout> | undefined
  #pingTimer: ReturnType<typeof setInterval> | undefined
  #pings = 0
  #pongs = 0

  constructor(options: LinkOptions, events: LinkEvents) {
    this.#options = options
    this.#events = events
    this.#helloTimer = setTimeout(() => {
      this.close(closeCodes.refused, `the server did not answer within ${options.helloTimeout} ms`)
    }, options.helloTimeout)
    void this.#dial()
  }

  async #dial(): Promise<void> {
    try {
      const channel = await this.#options.dial(
        {
          opened: () => this.#greet(),
          message: (value) => this.#take(value),
          fault: (code, reason) => this.close(code, reason),
          closed: (code, reason) => this.#end({ code, reason, byServer: true }),
        },
        () => this.limits.messageBytes,
      )
      this.#channel = channel
      this.#outbox = new Outbox(channel, this.#options.outbox, () => this.close(closeCodes.refused, 'too slow'))
      if (this.#state === 'ended') channel.close(closeCodes.normal, '')
      else if (channel.alreadyOpen === true) this.#greet()
    } catch (thrown) {
      const error = thrown instanceof ToolsmithError ? thrown : undefined
      this.#end({ code: closeCodes.refused, reason: thrown instanceof Error ? thrown.message : String(thrown), byServer: false, error })
    }
  }

  /**
   * Sends a message, in its turn.
   *
   * @param key with which a later message replaces this one while it waits
   * @throws PORT_MESSAGE_TOO_LARGE, and then nothing was sent
   */
  send(message: HostMessage, key?: string): void {
    const text = encode(message, 'PORT_MESSAGE_INVALID')
    const bytes = byteLength(text)
    if (bytes > this.limits.messageBytes) {
      throw new ToolsmithError('PORT_MESSAGE_TOO_LARGE', `A message of ${bytes} bytes is more than the ${this.limits.messageBytes} that the server takes.`)
    }
    if (this.#state !== 'ended') this.#outbox?.send(text, bytes, key)
  }

  /** Ends it. The events tell so at once, whatever the other side does. */
  close(code: number, reason: string): void {
    if (this.#state === 'ended') return
    this.#end({ code, reason, byServer: false }, () => {
      try {
        this.#channel?.close(code, reason)
      } catch {
        // It was not even open.
      }
    })
  }

  #greet(): void {
    if (this.#state !== 'opening') return
    this.#state = 'greeting'
    const { name, version } = this.#options
    const token = this.#channel?.token
    this.send({
      type: 'hello',
      protocol: 1,
      name,
      ...(version === undefined ? {} : { version }),
      ...(token === undefined ? {} : { token }),
    })
  }

  #take(value: JsonObject): void {
    if (this.#state === 'ended') return
    const message = readServerMessage(value)
    if (this.#state !== 'welcomed') return this.#takeGreeting(message)
    switch (message.type) {
      case 'fault':
        this.send({ type: 'error', error: { code: 'PORT_MESSAGE_INVALID', message: message.message, field: message.field } })
        return
      case 'pong':
        if (message.id === `ping${this.#pings}`) this.#pongs = this.#pings
        else this.#events.message(message)
        return
      case 'hello':
        return
      default:
        this.#events.message(message)
    }
  }

  #takeGreeting(message: ReturnType<typeof readServerMessage>): void {
    if (message.type === 'error') {
      // The server says why it is about to close.
      this.#said = new ToolsmithError(message.error.code, message.error.message, { field: message.error.field })
      return
    }
    if (message.type !== 'hello' || message.protocol !== 1) {
      this.close(closeCodes.refused, message.type === 'hello' ? 'the server speaks another protocol' : 'the first message of a server is "hello"')
      return
    }
    clearTimeout(this.#helloTimer)
    this.#state = 'welcomed'
    this.limits = readLimits(message.limits)
    const every = this.#options.pingEvery
    if (every > 0) this.#pingTimer = setInterval(() => this.#ping(), every)
    this.#events.welcomed({ name: message.server ?? '', version: message.version ?? '', limits: this.limits })
  }

  // A machine that was asleep, or a cable that was pulled, closes nothing: only silence tells.
  #ping(): void {
    if (this.#pongs !== this.#pings) {
      this.close(closeCodes.refused, `the server did not answer a ping within ${this.#options.pingEvery} ms`)
      return
    }
    this.#pings++
    this.send({ type: 'ping', id: `ping${this.#pings}` })
  }

  #end(ending: Ending, close?: () => void): void {
    if (this.#state === 'ended') return
    this.#state = 'ended'
    clearTimeout(this.#helloTimer)
    clearInterval(this.#pingTimer)
    this.#outbox?.stop()
    close?.()
    this.#events.ended({ ...ending, error: ending.error ?? this.#said })
  }
}
