import { portChannel, type Dial, type PortLike } from './channel.ts'
import { closedError, PortConnection, type Backoff, type Connection, type ConnectionEvent } from './connection.ts'
import type { ClientTool } from './declare.ts'
import { ToolsmithError } from './error.ts'
import { defaultOutbox, type OutboxBounds } from './outbox.ts'
import type { HostContext } from './toolcontext.ts'
import { webSocketDial, type Token, type WebSocketConstructor } from './websocket.ts'

/** What both kinds of ports have. */
export interface PortOptions {
  /** Under which people see this host: 1 to 64 letters, digits, ".", "_" and "-". Tools come back under it after a drop. */
  readonly name: string
  /** Of this host. */
  readonly version?: string | undefined
  /** Tools that are supplied from the first. Others follow with `register`. */
  readonly tools?: readonly ClientTool[] | undefined
  /** Context methods that this host carries out itself. */
  readonly context?: HostContext | undefined
  /** Milliseconds for the first opening; Infinity to go on trying. Default 10,000. */
  readonly connectTimeout?: number | undefined
  /** Closes the port. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: ((event: ConnectionEvent) => void) | undefined
}

/** How a WebSocket port is opened. */
export interface ConnectOptions extends PortOptions {
  /**
   * What the server knows this host by, or a function that gives it each time the port is opened. A
   * text that the server refuses closes the port for good, whenever that is; a function is asked again.
   */
  readonly token?: Token | undefined
  /** Sends the token without encryption to another machine too. Default false. */
  readonly allowInsecure?: boolean | undefined
  /** In place of the platform's own. The token is then sent in the first message. */
  readonly WebSocket?: WebSocketConstructor | undefined
  readonly backoff?: Partial<Backoff> | undefined
  /** Milliseconds between two pings, after which a silent server is left. Default 30,000; 0 for none. */
  readonly pingEvery?: number | undefined
  readonly outbox?: Partial<OutboxBounds> | undefined
}

/**
 * Opens a port to a server, supplies the tools, and opens it again whenever it drops.
 *
 * @param url of the server ("http://127.0.0.1:7420") or of its port ("ws://127.0.0.1:7420/v1/port")
 * @param options or the token alone, for a host that people see as "typescript" and that registers
 *   its tools, if any, later
 * @throws at once what the server refuses it with, such as HTTP_TOKEN_REFUSED for a token that is not
 *   known or was removed; PORT_CLOSED where it cannot be opened in time, PORT_URL_INVALID, and what
 *   `register` throws
 */
export async function connect(url: string | URL, options: ConnectOptions | string): Promise<Connection> {
  if (typeof options === 'string') return await connect(url, { name: 'typescript', token: options })
  return await opened(
    options,
    webSocketDial(url, options),
    { first: 100, most: 15_000, ...options.backoff },
    options.pingEvery ?? 30_000,
    { ...defaultOutbox, ...options.outbox },
    typeof options.token === 'string',
  )
}

/**
 * Opens a port through a MessagePort, from an iframe or a worker to the page that bridges it. It is
 * not opened again when it closes.
 */
export async function connectPort(port: PortLike, options: PortOptions): Promise<Connection> {
  const dial: Dial = (events, mostBytes) => Promise.resolve(portChannel(port, events, mostBytes))
  return await opened(options, dial, undefined, 0, defaultOutbox, false)
}

const portName = /^[A-Za-z0-9._-]{1,64}$/

async function opened(
  options: PortOptions,
  dial: Dial,
  backoff: Backoff | undefined,
  pingEvery: number,
  outbox: OutboxBounds,
  fixedToken: boolean,
): Promise<PortConnection> {
  const { name, version, tools = [], signal, connectTimeout = 10_000 } = options
  if (!portName.test(name)) {
    throw new ToolsmithError('PORT_NAME_INVALID', 'The name of a port is 1 to 64 letters, digits, ".", "_" and "-".', { field: '$.name' })
  }
  const abort = (): ToolsmithError => new ToolsmithError('ABORTED', 'The port was closed here.', { cause: signal?.reason })
  if (signal?.aborted === true) throw abort()
  const connection = new PortConnection({
    dial,
    name,
    version,
    outbox,
    backoff,
    fixedToken,
    pingEvery,
    helloTimeout: Math.min(connectTimeout, 10_000),
    context: options.context ?? {},
    onEvent: options.onEvent,
  })
  const stop = (): void => connection.shut(abort())
  signal?.addEventListener('abort', stop, { once: true })
  void connection.closed.then(() => signal?.removeEventListener('abort', stop))
  const timer = Number.isFinite(connectTimeout) ? setTimeout(() => connection.shut(late(connection, connectTimeout)), connectTimeout) : undefined
  try {
    const registered = tools.map((tool) => connection.register(tool))
    await Promise.all([connection.ready.promise, ...registered])
    return connection
  } catch (thrown) {
    connection.close()
    throw thrown
  } finally {
    clearTimeout(timer)
  }
}

function late(connection: PortConnection, timeout: number): ToolsmithError {
  const why = connection.lastReason === undefined ? '' : ` (${connection.lastReason})`
  return closedError(`it could not be opened within ${timeout} ms${why}`)
}
