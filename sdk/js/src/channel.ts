import { byteLength, encode, isObject, type JsonObject } from './json.ts'

/** A way for messages, open in both directions. */
export interface Channel {
  /** Sends the JSON of one message. */
  send(text: string): void
  /** Bytes that wait to be taken by the other side. */
  buffered(): number
  /** Closes it. {@link ChannelEvents.closed} follows, at once or later. */
  close(code: number, reason: string): void
  /** The token, where no header could carry it and so the first message has to. */
  readonly token?: string | undefined
  /** It is open from the beginning, so that `opened` never comes. */
  readonly alreadyOpen?: boolean
}

/** What a channel tells. Nothing comes after `closed`, which comes once. */
export interface ChannelEvents {
  opened(): void
  message(value: JsonObject): void
  /** Something came that is no message: the code says why, and the channel is to be closed. */
  fault(code: number, reason: string): void
  closed(code: number, reason: string): void
}

/** Opens a channel. */
export type Dial = (events: ChannelEvents, mostBytes: () => number) => Promise<Channel>

/** The codes with which a port is closed. `later`: the server has no room, or cannot look up a token just now. */
export const closeCodes = { normal: 1000, notJson: 1007, refused: 1008, tooLarge: 1009, later: 1013 } as const

/** Hands on the text of one message, or says with which code the port has to be closed. */
export function receive(data: unknown, mostBytes: number, events: Pick<ChannelEvents, 'message' | 'fault'>): void {
  if (typeof data !== 'string') return events.fault(closeCodes.notJson, 'a message is text')
  if (data.length > mostBytes || byteLength(data) > mostBytes) {
    return events.fault(closeCodes.tooLarge, `a message has at most ${mostBytes} bytes`)
  }
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    value = undefined
  }
  if (isObject(value)) events.message(value as JsonObject)
  else events.fault(closeCodes.notJson, 'a message is one JSON object')
}

/** The part of a MessagePort that is used; a Worker and the inside of a worker have it too. */
export interface PortLike {
  postMessage(message: unknown): void
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
  start?(): void
  close?(): void
}

/**
 * Makes a channel of a MessagePort. The other end of some ports goes away unseen, so that only
 * deadlines tell.
 */
export function portChannel(port: PortLike, events: ChannelEvents, mostBytes: () => number): Channel {
  let open = true
  const closed = (reason: string): void => {
    if (!open) return
    open = false
    port.removeEventListener('message', onMessage)
    port.removeEventListener('messageerror', onBroken)
    port.removeEventListener('close', onClose)
    port.close?.()
    events.closed(closeCodes.normal, reason)
  }
  const onMessage = (event: Event): void => {
    let text: string
    try {
      text = encode((event as MessageEvent<unknown>).data)
    } catch {
      events.fault(closeCodes.notJson, 'a message is one JSON object')
      return
    }
    receive(text, mostBytes(), events)
  }
  const onBroken = (): void => events.fault(closeCodes.notJson, 'a message cannot be read')
  const onClose = (): void => closed('the other end was closed')
  port.addEventListener('message', onMessage)
  port.addEventListener('messageerror', onBroken)
  port.addEventListener('close', onClose)
  port.start?.()
  return {
    alreadyOpen: true,
    send: (text) => port.postMessage(JSON.parse(text)),
    buffered: () => 0,
    close: (_, reason) => closed(reason),
  }
}
