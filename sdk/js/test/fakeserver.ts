// A server that speaks the protocol strictly: it records what hosts send, says what was wrong with
// it, and answers nothing by itself but what a test tells it to.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { WebSocketServer, type WebSocket } from 'ws'

export interface Message {
  readonly type: string
  readonly [field: string]: unknown
}

export interface CloseInfo {
  readonly code: number
  readonly reason: string
}

/** A queue that hands out what comes, in order, to those who wait. */
export class Inbox<T> {
  readonly #items: T[] = []
  readonly #waiting: { fits: (item: T) => boolean; resolve: (item: T) => void }[] = []

  put(item: T): void {
    const i = this.#waiting.findIndex(({ fits }) => fits(item))
    if (i < 0) this.#items.push(item)
    else this.#waiting.splice(i, 1)[0]?.resolve(item)
  }

  /** The first item that fits, now or later; it is taken out. */
  async next(fits: (item: T) => boolean = () => true): Promise<T> {
    const i = this.#items.findIndex(fits)
    if (i >= 0) return this.#items.splice(i, 1)[0] as T
    return await new Promise<T>((resolve) => this.#waiting.push({ fits, resolve }))
  }

  get rest(): readonly T[] {
    return this.#items
  }
}

export const hello = { type: 'hello', protocol: 1, server: 'toolsmith', version: '0.1', limits: { messageBytes: 1 << 20, tools: 200, calls: 64 } }

/** What a host may send: the fields that a message has to have, and those that it may have. */
const shapes: { readonly [type: string]: readonly [must: string[], may: string[]] } = {
  hello: [['protocol', 'name'], ['version', 'token']],
  register: [['id', 'tool'], []],
  unregister: [['id', 'name'], []],
  progress: [['call', 'done', 'total'], ['note']],
  result: [['call'], ['value', 'subtasks']],
  error: [['error'], ['call']],
  context: [['id', 'call', 'method'], ['arguments']],
  call: [['id', 'tool', 'arguments'], ['title', 'key', 'taskId', 'deadline']],
  cancel: [[], ['id']],
  ping: [['id'], []],
}

/** One port as the server sees it. */
export class FakePort {
  readonly inbox = new Inbox<Message>()
  readonly all: Message[] = []
  readonly closed: Promise<CloseInfo>
  readonly headers: IncomingHttpHeaders
  readonly protocol: string
  readonly socket: WebSocket
  readonly #server: FakeServer

  constructor(server: FakeServer, socket: WebSocket, headers: IncomingHttpHeaders) {
    this.#server = server
    this.socket = socket
    this.headers = headers
    this.protocol = socket.protocol
    this.closed = new Promise((resolve) => socket.on('close', (code, reason) => resolve({ code, reason: String(reason) })))
    socket.on('message', (data, binary) => this.#take(String(data), binary))
    socket.on('error', () => undefined)
  }

  #take(text: string, binary: boolean): void {
    const fault = (what: string): void => void this.#server.violations.push(`${what}: ${text.slice(0, 200)}`)
    if (binary) fault('binary frame')
    if (Buffer.byteLength(text) > 1 << 20) fault('message too large')
    const message = JSON.parse(text) as Message
    const shape = shapes[message.type]
    if (shape === undefined) return fault('unknown type')
    const [must, may] = shape
    for (const field of must) if (message[field] === undefined) fault(`"${field}" is missing`)
    for (const field of Object.keys(message)) if (field !== 'type' && !must.includes(field) && !may.includes(field)) fault(`"${field}" is unknown`)
    if (this.all.length === 0 && message.type !== 'hello') fault('first message is no hello')
    if (message.type === 'result' && 'value' in message === 'subtasks' in message) fault('value or subtasks')
    this.all.push(message)
    this.inbox.put(message)
    this.#server.onMessage?.(message, this)
  }

  send(message: object): void {
    this.socket.send(JSON.stringify(message))
  }

  sendRaw(data: string | Buffer): void {
    this.socket.send(data)
  }

  async next(type: string): Promise<Message> {
    return await this.inbox.next((message) => message.type === type)
  }

  /** Takes the greeting and answers it. */
  async welcome(answer: object = hello): Promise<Message> {
    const greeting = await this.next('hello')
    this.send(answer)
    return greeting
  }

  /** Takes the next registration and confirms it. */
  async registered(): Promise<Message & { tool: { name: string; [field: string]: unknown } }> {
    const message = await this.next('register')
    const tool = message['tool'] as { name: string }
    this.send({ type: 'registered', id: message['id'], name: tool.name })
    return message as Message & { tool: { name: string } }
  }

  drop(): void {
    this.socket.terminate()
  }
}

export class FakeServer {
  readonly ports = new Inbox<FakePort>()
  readonly violations: string[] = []
  onMessage: ((message: Message, port: FakePort) => void) | undefined
  /** What is served over plain HTTP, for browser tests. */
  onRequest: ((path: string) => { type: string; body: string | Buffer } | undefined) | undefined
  readonly #http: Server
  readonly #sockets: WebSocketServer

  private constructor() {
    this.#http = createServer((request, response) => {
      const found = this.onRequest?.(request.url ?? '/')
      response.writeHead(found === undefined ? 404 : 200, { 'content-type': found?.type ?? 'text/plain' })
      response.end(found?.body ?? 'not found')
    })
    this.#sockets = new WebSocketServer({
      server: this.#http,
      path: '/v1/port',
      perMessageDeflate: false,
      handleProtocols: (offered) => (offered.has('toolsmith.port.v1') ? 'toolsmith.port.v1' : false),
    })
    this.#sockets.on('connection', (socket, request) => this.ports.put(new FakePort(this, socket, request.headers)))
  }

  /** Starts one that stops with its test, which fails if a host broke the protocol. */
  static async start(t: { after(hook: () => Promise<void>): void }, port = 0): Promise<FakeServer> {
    const server = new FakeServer()
    t.after(() => server.stop())
    await new Promise<void>((resolve) => server.#http.listen(port, '127.0.0.1', resolve))
    return server
  }

  get port(): number {
    return (this.#http.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  async next(): Promise<FakePort> {
    return await this.ports.next()
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate()
    this.#sockets.close()
    this.#http.closeAllConnections()
    if (this.#http.listening) await new Promise((resolve) => this.#http.close(resolve))
    if (this.violations.length > 0) throw new Error(`The host broke the protocol:\n${this.violations.join('\n')}`)
  }
}
