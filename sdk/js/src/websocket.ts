import { closeCodes, receive, type Channel, type ChannelEvents, type Dial } from './channel.ts'
import { ToolsmithError } from './error.ts'
import { protocolName } from './protocol.ts'

/** The part of a WebSocket that is used. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  send(data: string): void
  close(code?: number, reason?: string): void
  addEventListener(type: 'open', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'error', listener: (event: object) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number; readonly reason: string }) => void): void
}

/** A constructor of WebSockets, such as the one of the package `ws`. */
export type WebSocketConstructor = new (url: string, protocols: string[]) => WebSocketLike

/** A token, or what gives one each time the port is opened. */
export type Token = string | (() => string | Promise<string>)

export interface WebSocketOptions {
  readonly token?: Token | undefined
  readonly WebSocket?: WebSocketConstructor | undefined
  readonly allowInsecure?: boolean | undefined
}

/** Makes what opens a WebSocket to the port of a server. */
export function webSocketDial(address: string | URL, options: WebSocketOptions): Dial {
  const url = portAddress(address, options)
  return async (events, mostBytes) => {
    const token = typeof options.token === 'function' ? await options.token() : options.token
    const { socket, tokenSent } = openSocket(url, token, options.WebSocket)
    return socketChannel(socket, events, mostBytes, tokenSent ? undefined : token)
  }
}

/** Makes the address of the port from the address of a server, or from that of the port itself. */
export function portAddress(address: string | URL, options: WebSocketOptions): URL {
  const invalid = (what: string): ToolsmithError => new ToolsmithError('PORT_URL_INVALID', `The address of the port ${what}.`)
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw invalid('cannot be read; it is one such as "http://127.0.0.1:7420"')
  }
  const schemes: { readonly [scheme: string]: string } = { 'http:': 'ws:', 'https:': 'wss:', 'ws:': 'ws:', 'wss:': 'wss:' }
  const scheme = schemes[url.protocol]
  if (scheme === undefined) throw invalid('begins with http, https, ws or wss')
  if (url.username !== '' || url.password !== '') throw invalid('has no name and password in it; pass the token as "token"')
  if (scheme === 'ws:' && options.token !== undefined && options.allowInsecure !== true && !isLoopback(url.hostname)) {
    throw invalid(`would send the token to ${url.host} for all to read: use https or wss, or say "allowInsecure: true"`)
  }
  url.protocol = scheme
  url.hash = ''
  if (url.pathname === '/') url.pathname = '/v1/port'
  return url
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

interface Opened {
  readonly socket: WebSocketLike
  readonly tokenSent: boolean
}

function openSocket(url: URL, token: string | undefined, given: WebSocketConstructor | undefined): Opened {
  const Constructor = given ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket
  if (Constructor === undefined) {
    throw new ToolsmithError('PORT_UNSUPPORTED', 'There is no WebSocket here: use Node.js 22 or newer, or pass one as "WebSocket".')
  }
  if (token !== undefined && given === undefined && isNode()) {
    // The WebSocket of Node takes headers, which browsers' do not; its types do not tell.
    const WithHeaders = Constructor as unknown as new (url: string, options: object) => WebSocketLike
    const headers = { authorization: `Bearer ${token}` }
    return { socket: new WithHeaders(url.href, { protocols: [protocolName], headers }), tokenSent: true }
  }
  return { socket: new Constructor(url.href, [protocolName]), tokenSent: false }
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { versions?: { node?: string; bun?: string; deno?: string } } }
  const versions = process?.versions
  return versions?.node !== undefined && versions.bun === undefined && versions.deno === undefined
}

function socketChannel(socket: WebSocketLike, events: ChannelEvents, mostBytes: () => number, token: string | undefined): Channel {
  let failure = ''
  let opened = false
  let ended = false
  const end = (code: number, reason: string): void => {
    if (ended) return
    ended = true
    events.closed(code, reason || failure)
  }
  socket.addEventListener('open', () => {
    opened = true
    events.opened()
  })
  socket.addEventListener('message', ({ data }) => receive(data, mostBytes(), events))
  socket.addEventListener('error', (event) => {
    failure = 'message' in event && typeof event.message === 'string' ? event.message : ''
    // Node's WebSocket does not say that it is closed when it could not be opened.
    if (!opened) end(1006, failure)
  })
  socket.addEventListener('close', ({ code, reason }) => end(code, reason))
  return {
    token,
    send: (text) => socket.send(text),
    buffered: () => socket.bufferedAmount,
    close: (code, reason) => socket.close(code === closeCodes.normal ? code : code + 3000, reason),
  }
}
