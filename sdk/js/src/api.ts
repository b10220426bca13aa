/**
 * A client for the HTTP API of a server, typed by the OpenAPI document of a fresh one:
 *
 *     const api = createApi({ url: 'http://127.0.0.1:7420', token })
 *     const { data } = await api.get('/v1/runs/{run}', { path: { run } })
 *
 * A server describes itself, with the tools that were added to it: types that are made of its own
 * document have those too, and are given as createApi<paths>(…).
 *
 * @module
 */
import { ToolsmithError } from './error.ts'
import { encode, isObject, type Json } from './json.ts'
import type { components, operations, paths } from './paths.ts'

export type { components, operations, paths }

export { ToolsmithError } from './error.ts'

/** How the server is reached. */
export interface ApiOptions {
  /** Of the server, such as "http://127.0.0.1:7420". */
  readonly url: string | URL
  /** What the server knows this program by. A page has a cookie instead. */
  readonly token?: string | undefined
  /** In place of the platform's own. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** What came back. */
export interface ApiResult<T> {
  readonly data: T
  readonly status: number
  readonly headers: Headers
}

type Method = 'get' | 'put' | 'post' | 'patch' | 'delete'

/** The paths that have a method. */
export type PathsWith<Paths, M extends Method> = {
  [P in keyof Paths]: Paths[P] extends { [m in M]: object } ? P : never
}[keyof Paths] &
  string

type Operation<Paths, P extends keyof Paths, M extends Method> = Paths[P] extends { [m in M]: infer O } ? O : never

type Part<O, Name extends string> = O extends { parameters: { [n in Name]: infer V } } ? V : undefined
type OptionalPart<O, Name extends string> = O extends { parameters: { [n in Name]?: infer V } } ? V : undefined
type Body<O> = O extends { requestBody: { content: { 'application/json': infer B } } } ? B : undefined
type OptionalBody<O> = O extends { requestBody?: infer R } ? (NonNullable<R> extends { content: { 'application/json': infer B } } ? B : undefined) : undefined

type Has<Key extends string, Must, May> = [Must] extends [undefined]
  ? [May] extends [undefined]
    ? unknown
    : { readonly [k in Key]?: May }
  : { readonly [k in Key]: Must }

/** What an operation takes. */
export type ApiRequest<O> = Has<'path', Part<O, 'path'>, undefined> &
  Has<'query', Part<O, 'query'>, OptionalPart<O, 'query'>> &
  Has<'body', Body<O>, OptionalBody<O>> & {
    readonly headers?: { readonly [name: string]: string }
    readonly signal?: AbortSignal | undefined
  }

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206
type Content<R> = R extends { content: { 'application/json': infer C } } ? C : undefined

/** What an operation gives when it goes well. */
export type ApiData<O> = O extends { responses: infer R } ? { [S in keyof R & Success]: Content<R[S]> }[keyof R & Success] : unknown

type Arguments<O> = Record<never, never> extends ApiRequest<O> ? [request?: ApiRequest<O>] : [request: ApiRequest<O>]

type Call<Paths, M extends Method> = <P extends PathsWith<Paths, M>>(
  path: P,
  ...request: Arguments<Operation<Paths, P, M>>
) => Promise<ApiResult<ApiData<Operation<Paths, P, M>>>>

/**
 * The operations of a server, by their methods. Each throws a {@link ToolsmithError} with the code
 * that the server gives for what went wrong, API_UNREACHABLE where there is no answer, and
 * API_RESPONSE_INVALID where that cannot be read.
 */
export interface Api<Paths = paths> {
  readonly get: Call<Paths, 'get'>
  readonly put: Call<Paths, 'put'>
  readonly post: Call<Paths, 'post'>
  readonly patch: Call<Paths, 'patch'>
  readonly delete: Call<Paths, 'delete'>
}

interface Request {
  readonly path?: { readonly [name: string]: unknown }
  readonly query?: { readonly [name: string]: unknown }
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly signal?: AbortSignal | undefined
}

/** Makes a client for the paths that a document describes: those of every server, unless others are given. */
export function createApi<Paths = paths>(options: ApiOptions): Api<Paths> {
  const call = (method: Method) => (path: string, request?: unknown) => send(options, method, path, (request ?? {}) as Request)
  return {
    get: call('get') as Api<Paths>['get'],
    put: call('put') as Api<Paths>['put'],
    post: call('post') as Api<Paths>['post'],
    patch: call('patch') as Api<Paths>['patch'],
    delete: call('delete') as Api<Paths>['delete'],
  }
}

async function send(options: ApiOptions, method: Method, path: string, request: Request): Promise<ApiResult<unknown>> {
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json')
  if (options.token !== undefined) headers.set('authorization', `Bearer ${options.token}`)
  if (request.body !== undefined) headers.set('content-type', 'application/json')
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers,
    // The token is for this server alone.
    redirect: 'error',
    ...(request.body === undefined ? {} : { body: encode(request.body, 'ARGUMENTS_INVALID', '$.body') }),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  }
  const url = address(options.url, path, request)
  let response: Response
  let text: string
  try {
    response = await (options.fetch ?? globalThis.fetch)(url, init)
    text = await response.text()
  } catch (cause) {
    if (request.signal?.aborted === true) throw new ToolsmithError('ABORTED', 'The request was cancelled here.', { cause })
    throw new ToolsmithError('API_UNREACHABLE', `There was no answer from ${url.origin}.`, { cause })
  }
  const data = readBody(text, response)
  if (!response.ok) throw problem(data, response)
  return { data, status: response.status, headers: response.headers }
}

function address(base: string | URL, path: string, request: Request): URL {
  const filled = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const value = request.path?.[name]
    const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
    // Addresses leave out "." and take ".." for the folder above, however they are written.
    if (text === '' || text === '.' || text === '..') {
      throw new ToolsmithError('ARGUMENTS_INVALID', `The path ${path} needs a value for "${name}".`, { field: `$.path.${name}` })
    }
    return encodeURIComponent(text)
  })
  const url = new URL(base)
  url.pathname = url.pathname.replace(/\/$/, '') + filled
  for (const [name, value] of Object.entries(request.query ?? {})) {
    for (const each of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (each !== undefined && each !== null) url.searchParams.append(name, String(each))
    }
  }
  return url
}

function readBody(text: string, response: Response): Json | undefined {
  if (text === '') return undefined
  if (!/^application\/([a-z.+-]*\+)?json\b/i.test(response.headers.get('content-type') ?? '')) return text
  try {
    return JSON.parse(text) as Json
  } catch (cause) {
    throw new ToolsmithError('API_RESPONSE_INVALID', 'The answer of the server is no JSON.', { cause })
  }
}

/** Makes an error of a problem as RFC 9457 describes it, with the code and the field that the server adds. */
function problem(data: Json | undefined, response: Response): ToolsmithError {
  const said = isObject(data) ? data : {}
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
  return new ToolsmithError(
    text(said['code']) ?? `HTTP_${response.status}`,
    text(said['detail']) ?? text(said['title']) ?? `The server answered ${response.status} ${response.statusText}.`,
    { field: text(said['field']), details: (said['errors'] as Json | undefined) ?? undefined, runId: text(said['runId']) },
  )
}
