// Request, Response, and fetch, which the host carries out.
import { Body, contentOf, shareContent, takeContent, type Content } from './body.ts'
import { AbortSignal, onAbort } from './events.ts'
import { Headers } from './headers.ts'
import { ask } from './host.ts'
import { then } from './primordials.ts'
import { URL } from './url.ts'

type Redirect = 'follow' | 'error' | 'manual'

/** How a request is made. What the platform of a page has beyond it (mode, credentials, cache) has no meaning here. */
export interface RequestInit {
  readonly method?: string
  readonly headers?: unknown
  readonly body?: unknown
  readonly redirect?: Redirect
  readonly signal?: AbortSignal | null
  readonly integrity?: string
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const usual: ReadonlySet<string> = new Set(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'])
const redirects: ReadonlySet<unknown> = new Set(['follow', 'error', 'manual'])

function methodOf(given: string): string {
  if (!token.test(given)) throw new TypeError(`"${given}" is no method`)
  const upper = given.toUpperCase()
  if (upper === 'CONNECT' || upper === 'TRACE' || upper === 'TRACK') throw new TypeError(`The method ${upper} is not allowed`)
  return usual.has(upper) ? upper : given
}

function addressOf(input: unknown): string {
  const url = new URL(input as string)
  if (url.username !== '' || url.password !== '') throw new TypeError('The address holds a name or a password; send them in a header')
  return url.href
}

/** What is asked of a host. */
export class Request extends Body {
  readonly method: string
  readonly url: string
  readonly headers: Headers
  readonly redirect: Redirect
  readonly signal: AbortSignal

  constructor(input: string | URL | Request, init: RequestInit = {}) {
    const from = input instanceof Request ? input : undefined
    const method = methodOf(String(init.method ?? from?.method ?? 'GET'))
    const given = init.body ?? undefined
    if (given !== undefined && (method === 'GET' || method === 'HEAD')) throw new TypeError(`A ${method} request has no body`)
    const content = given !== undefined ? contentOf(given) : from === undefined ? undefined : takeContent(from)
    super(content)
    this.method = method
    this.url = from?.url ?? addressOf(input)
    this.headers = new Headers(init.headers ?? from?.headers)
    if (given !== undefined && content?.type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', content.type)
    this.redirect = init.redirect ?? from?.redirect ?? 'follow'
    if (!redirects.has(this.redirect)) throw new TypeError(`"${String(this.redirect)}" is no way to follow redirects: it is "follow", "error" or "manual"`)
    if (init.integrity !== undefined && init.integrity !== '') throw new TypeError('The integrity of a response cannot be checked here')
    const signal = init.signal === undefined ? from?.signal : init.signal
    this.signal = AbortSignal.any(signal === undefined || signal === null ? [] : [signal])
  }

  clone(): Request {
    const { method, url, headers, redirect, signal } = this
    const content = shareContent(this)
    const body = content?.bytes ?? content?.text
    const copy = new Request(url, { method, headers, redirect, signal, ...(body === undefined ? {} : { body }) })
    if (!headers.has('content-type')) copy.headers.delete('content-type')
    return copy
  }

  get [Symbol.toStringTag](): string {
    return 'Request'
  }
}

/** What the host gives for a request. */
interface Answer {
  readonly status: number
  readonly statusText: string
  readonly url: string
  readonly redirected: boolean
  readonly headers: readonly [name: string, value: string][]
  readonly body: string
  readonly encoding: 'utf8' | 'base64'
}

interface ResponseInit {
  readonly status?: number
  readonly statusText?: string
  readonly headers?: unknown
}

const bodiless: ReadonlySet<number> = new Set([101, 103, 204, 205, 304])
const { fromBase64 } = Uint8Array

let responseOf: (answer: Answer) => Response
let networkError: () => Response

/** What came of a request. */
export class Response extends Body {
  readonly headers: Headers
  #status: number
  #statusText: string
  #url = ''
  #redirected = false
  #type: 'default' | 'basic' | 'error' = 'default'

  constructor(given?: unknown, init: ResponseInit = {}) {
    const status = init.status === undefined ? 200 : Math.trunc(Number(init.status))
    if (!(status >= 200 && status <= 599)) throw new RangeError('The status of a response is 200 to 599')
    const content = contentOf(given)
    if (content !== undefined && bodiless.has(status)) throw new TypeError(`A response with the status ${status} has no body`)
    super(content)
    this.#status = status
    this.#statusText = String(init.statusText ?? '')
    this.headers = new Headers(init.headers)
    if (content?.type !== undefined && !this.headers.has('content-type')) this.headers.set('content-type', content.type)
  }

  static {
    responseOf = (answer) => {
      const bodyless = bodiless.has(answer.status) || answer.status < 200
      const body = answer.encoding === 'base64' ? fromBase64.call(Uint8Array, answer.body) : answer.body
      const response = new Response(bodyless ? null : body, { headers: answer.headers, statusText: answer.statusText })
      if (!answer.headers.some(([name]) => name.toLowerCase() === 'content-type')) response.headers.delete('content-type')
      response.#status = answer.status
      response.#url = answer.url
      response.#redirected = answer.redirected
      response.#type = 'basic'
      return response
    }
    networkError = () => {
      const response = new Response()
      response.#status = 0
      response.#type = 'error'
      return response
    }
  }

  static json(data: unknown, init: ResponseInit = {}): Response {
    const text = JSON.stringify(data)
    if (text === undefined) throw new TypeError('The value cannot be written as JSON')
    const response = new Response(text, init)
    if (!new Headers(init.headers).has('content-type')) response.headers.set('content-type', 'application/json')
    return response
  }

  static error(): Response {
    return networkError()
  }

  static redirect(url: string | URL, status = 302): Response {
    if (![301, 302, 303, 307, 308].includes(status)) throw new RangeError('The status of a redirect is 301, 302, 303, 307 or 308')
    return new Response(null, { status, headers: { location: new URL(url).href } })
  }

  get status(): number {
    return this.#status
  }

  get ok(): boolean {
    return this.#status >= 200 && this.#status <= 299
  }

  get statusText(): string {
    return this.#statusText
  }

  get url(): string {
    return this.#url
  }

  get redirected(): boolean {
    return this.#redirected
  }

  get type(): string {
    return this.#type
  }

  clone(): Response {
    const content = shareContent(this)
    const copy = new Response(content?.bytes ?? content?.text, { headers: this.headers })
    if (!this.headers.has('content-type')) copy.headers.delete('content-type')
    copy.#status = this.#status
    copy.#statusText = this.#statusText
    copy.#url = this.#url
    copy.#redirected = this.#redirected
    copy.#type = this.#type
    return copy
  }

  get [Symbol.toStringTag](): string {
    return 'Response'
  }
}

function wire(content: Content | undefined): object {
  if (content === undefined) return {}
  if (content.bytes === undefined) return { body: content.text ?? '' }
  return { body: content.bytes.toBase64(), bodyEncoding: 'base64' }
}

/** Sends a request, and stops it when its signal or that of the call says so. */
export async function fetchFor(stop: AbortSignal, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  const signal = AbortSignal.any([stop, request.signal])
  signal.throwIfAborted()
  const { method, url, headers, redirect } = request
  const sent = ask<Answer>('fetch', { url, method, headers: [...headers], redirect, ...wire(takeContent(request)) })
  const leave = onAbort(signal, (reason) => sent.cancel(reason))
  void then(sent.answer, leave, leave)
  return responseOf(await sent.answer)
}
