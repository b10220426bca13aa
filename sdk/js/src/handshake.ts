import type { PortLike } from './channel.ts'
import { ToolsmithError } from './error.ts'
import { isObject } from './json.ts'
import { protocolName } from './protocol.ts'

/** The part of a window that is used. */
export interface WindowLike {
  postMessage(message: unknown, targetOrigin: string, transfer?: object[]): void
}

interface Listening {
  addEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent<unknown>) => void): void
}

export interface HandshakeOptions {
  /**
   * Where the other side is from, exactly: "https://guest.example". For an iframe with a sandbox
   * attribute and without allow-same-origin it is "null".
   */
  readonly origin: string
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

// A page may listen only after its iframe has called, or call before the iframe listens. So each
// says that it is there, and the iframe offers a port again when the page asks for one. The page
// takes the first, and says so through it.
const ask = `${protocolName}/ask`
const offer = `${protocolName}/offer`
const accept = `${protocolName}/accept`

/**
 * In the page: waits for the port that an iframe offers, and takes it only from that very window
 * at that origin.
 *
 * @throws ABORTED, ORIGIN_INVALID
 */
export function acceptPort(frame: WindowLike, options: HandshakeOptions): Promise<PortLike> {
  const origin = checkedOrigin(options.origin)
  return waited(options.signal, (found, forget) => {
    const listener = (event: MessageEvent<unknown>): void => {
      const port = event.ports[0]
      if (event.source !== (frame as unknown) || event.origin !== origin || !isType(event.data, offer) || port === undefined) return
      port.postMessage({ type: accept })
      found(port)
    }
    listening().addEventListener('message', listener)
    forget(() => listening().removeEventListener('message', listener))
    // A frame without an origin cannot be named; there is nothing in the message to keep from others.
    frame.postMessage({ type: ask }, origin === 'null' ? '*' : origin)
  })
}

/** In the iframe: offers a port to the page around it, and gives its end once the page has taken it. */
export function requestPort(options: HandshakeOptions & { readonly page?: WindowLike | undefined }): Promise<PortLike> {
  const origin = checkedOrigin(options.origin)
  const page = options.page ?? (globalThis as unknown as { parent: WindowLike }).parent
  return waited(options.signal, (found, forget) => {
    const offered = new Set<MessagePort>()
    const makeOffer = (): void => {
      const { port1, port2 } = new MessageChannel()
      offered.add(port1)
      port1.onmessage = (event: MessageEvent<unknown>) => {
        if (!isType(event.data, accept)) return
        port1.onmessage = null
        offered.delete(port1)
        found(port1)
      }
      page.postMessage({ type: offer }, origin === 'null' ? '*' : origin, [port2])
    }
    const listener = (event: MessageEvent<unknown>): void => {
      if (event.source === (page as unknown) && event.origin === origin && isType(event.data, ask)) makeOffer()
    }
    listening().addEventListener('message', listener)
    forget(() => {
      listening().removeEventListener('message', listener)
      for (const port of offered) port.close()
    })
    makeOffer()
  })
}

/** Gives a worker one end of a new port, and the page the other. In the worker, {@link workerPort} gets it. */
export function portToWorker(worker: { postMessage(message: unknown, transfer: object[]): void }): PortLike {
  const { port1, port2 } = new MessageChannel()
  worker.postMessage({ type: offer }, [port2])
  return port1
}

/** In a worker: waits for the port that the page gives with {@link portToWorker}. */
export function workerPort(signal?: AbortSignal): Promise<PortLike> {
  return waited(signal, (found, forget) => {
    const listener = (event: MessageEvent<unknown>): void => {
      const port = event.ports[0]
      if (isType(event.data, offer) && port !== undefined) found(port)
    }
    listening().addEventListener('message', listener)
    forget(() => listening().removeEventListener('message', listener))
  })
}

function listening(): Listening {
  return globalThis as unknown as Listening
}

function isType(data: unknown, type: string): boolean {
  return isObject(data) && data['type'] === type
}

function checkedOrigin(origin: string): string {
  if (origin === 'null') return origin
  try {
    if (new URL(origin).origin === origin) return origin
  } catch {
    // Said below.
  }
  throw new ToolsmithError('ORIGIN_INVALID', `An origin is exact, such as "https://guest.example", or "null": ${JSON.stringify(origin)} is not.`, { field: '$.origin' })
}

function waited(
  signal: AbortSignal | undefined,
  begin: (found: (port: PortLike) => void, forget: (forget: () => void) => void) => void,
): Promise<PortLike> {
  return new Promise<PortLike>((resolve, reject) => {
    let forget = (): void => undefined
    const stop = (): void => {
      forget()
      reject(new ToolsmithError('ABORTED', 'The waiting for a port was ended.', { cause: signal?.reason }))
    }
    if (signal?.aborted === true) return stop()
    signal?.addEventListener('abort', stop, { once: true })
    begin(
      (port) => {
        signal?.removeEventListener('abort', stop)
        forget()
        resolve(port)
      },
      (how) => {
        forget = how
      },
    )
  })
}
