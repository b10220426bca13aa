// URL and URLSearchParams. Addresses are read by the host; what stands behind "?" is read here, for
// the two have to move together.
import { decodeUTF8, encodeUTF8 } from './encoding.ts'
import { hostCall } from './host.ts'

type Pair = [name: string, value: string]

// What a form leaves as it is; a space becomes "+".
const kept = /^[A-Za-z0-9*\-._ ]*$/

function encodeForm(text: string): string {
  if (kept.test(text)) return text.replaceAll(' ', '+')
  return encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}

function decodeForm(text: string): string {
  const spaced = text.replaceAll('+', ' ')
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    const bytes = encodeUTF8(spaced)
    const out = new Uint8Array(bytes.length)
    let n = 0
    for (let i = 0; i < bytes.length; i++) {
      const digits = bytes[i] === 0x25 ? String.fromCharCode(bytes[i + 1] ?? 0, bytes[i + 2] ?? 0) : ''
      const hex = /^[0-9A-Fa-f]{2}$/.test(digits)
      out[n++] = hex ? parseInt(digits, 16) : (bytes[i] ?? 0)
      if (hex) i += 2
    }
    return decodeUTF8(out.subarray(0, n)) ?? ''
  }
}

function parseForm(text: string): Pair[] {
  const pairs: Pair[] = []
  for (const part of text.split('&')) {
    if (part === '') continue
    const at = part.indexOf('=')
    const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)]
    pairs.push([decodeForm(name), decodeForm(value)])
  }
  return pairs
}

function pairsOf(init: unknown): Pair[] {
  if (init === undefined || init === null) return []
  if (typeof init !== 'object' && typeof init !== 'function') return parseForm(String(init).replace(/^\?/, ''))
  if (Symbol.iterator in init) {
    return [...(init as Iterable<unknown>)].map((each) => {
      const pair = [...(each as Iterable<unknown>)]
      if (pair.length !== 2) throw new TypeError('Each pair of a URLSearchParams has a name and a value')
      return [String(pair[0]).toWellFormed(), String(pair[1]).toWellFormed()]
    })
  }
  return Object.entries(init).map(([name, value]) => [name.toWellFormed(), String(value).toWellFormed()])
}

/** Has the parameters follow their address, and the address its parameters. */
interface Link {
  read(pairs: Pair[]): void
}

let linkTo: (params: URLSearchParams, changed: () => void) => Link

/** What stands behind "?" in an address, or in the body of a form. */
export class URLSearchParams {
  #pairs: Pair[]
  #changed: () => void = () => undefined

  constructor(init?: unknown) {
    this.#pairs = init instanceof URLSearchParams ? init.#pairs.map(([name, value]) => [name, value]) : pairsOf(init)
  }

  static {
    linkTo = (params, changed) => {
      params.#changed = changed
      return { read: (pairs) => (params.#pairs = pairs) }
    }
  }

  get size(): number {
    return this.#pairs.length
  }

  append(name: string, value: string): void {
    this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()])
    this.#changed()
  }

  delete(name: string, value?: string): void {
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name) || (value !== undefined && pair[1] !== String(value)))
    this.#changed()
  }

  get(name: string): string | null {
    return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null
  }

  getAll(name: string): string[] {
    return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1])
  }

  has(name: string, value?: string): boolean {
    return this.#pairs.some((pair) => pair[0] === String(name) && (value === undefined || pair[1] === String(value)))
  }

  set(name: string, value: string): void {
    const first = this.#pairs.find((pair) => pair[0] === String(name))
    if (first === undefined) {
      this.append(name, value)
      return
    }
    first[1] = String(value).toWellFormed()
    this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== String(name))
    this.#changed()
  }

  sort(): void {
    this.#pairs.sort((one, two) => (one[0] < two[0] ? -1 : one[0] > two[0] ? 1 : 0))
    this.#changed()
  }

  forEach(each: (value: string, name: string, params: URLSearchParams) => unknown, self?: unknown): void {
    for (const [name, value] of this) each.call(self, value, name, this)
  }

  *entries(): IterableIterator<Pair> {
    for (let i = 0; i < this.#pairs.length; i++) {
      const [name, value] = this.#pairs[i] as Pair
      yield [name, value]
    }
  }

  *keys(): IterableIterator<string> {
    for (const pair of this) yield pair[0]
  }

  *values(): IterableIterator<string> {
    for (const pair of this) yield pair[1]
  }

  [Symbol.iterator](): IterableIterator<Pair> {
    return this.entries()
  }

  toString(): string {
    return this.#pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&')
  }

  get [Symbol.toStringTag](): string {
    return 'URLSearchParams'
  }
}

/** The parts of an address, as the host gives them. */
interface Parts {
  readonly href: string
  readonly origin: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly host: string
  readonly hostname: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

function parseURL(input: unknown, base: unknown): Parts | undefined {
  const answer = base === undefined ? hostCall('url', 'parse', String(input).toWellFormed()) : hostCall('url', 'parse', String(input).toWellFormed(), String(base).toWellFormed())
  return answer === '' ? undefined : (JSON.parse(answer) as Parts)
}

function mustParse(input: unknown, base: unknown): Parts {
  const parts = parseURL(input, base)
  if (parts === undefined) throw new TypeError(`Invalid URL: ${String(input).slice(0, 200)}`)
  return parts
}

/** An absolute address. */
export class URL {
  #parts: Parts
  readonly #params: URLSearchParams
  readonly #link: Link

  constructor(input: string | URL, base?: string | URL) {
    this.#parts = mustParse(input, base)
    this.#params = new URLSearchParams(this.#parts.search)
    this.#link = linkTo(this.#params, () => this.#change('search', this.#params.toString()))
  }

  static canParse(input: string | URL, base?: string | URL): boolean {
    return parseURL(input, base) !== undefined
  }

  static parse(input: string | URL, base?: string | URL): URL | null {
    return URL.canParse(input, base) ? new URL(input, base) : null
  }

  #change(part: string, value: unknown): void {
    const answer = hostCall('url', 'set', this.#parts.href, part, String(value).toWellFormed())
    if (answer === '') throw new TypeError('The address would be too long')
    this.#parts = JSON.parse(answer) as Parts
  }

  get href(): string {
    return this.#parts.href
  }

  set href(value: string) {
    this.#parts = mustParse(value, undefined)
    this.#link.read(parseForm(this.#parts.search.slice(1)))
  }

  get origin(): string {
    return this.#parts.origin
  }

  get protocol(): string {
    return this.#parts.protocol
  }

  set protocol(value: string) {
    this.#change('protocol', value)
  }

  get username(): string {
    return this.#parts.username
  }

  set username(value: string) {
    this.#change('username', value)
  }

  get password(): string {
    return this.#parts.password
  }

  set password(value: string) {
    this.#change('password', value)
  }

  get host(): string {
    return this.#parts.host
  }

  set host(value: string) {
    this.#change('host', value)
  }

  get hostname(): string {
    return this.#parts.hostname
  }

  set hostname(value: string) {
    this.#change('hostname', value)
  }

  get port(): string {
    return this.#parts.port
  }

  set port(value: string) {
    this.#change('port', value)
  }

  get pathname(): string {
    return this.#parts.pathname
  }

  set pathname(value: string) {
    this.#change('pathname', value)
  }

  get search(): string {
    return this.#parts.search
  }

  set search(value: string) {
    this.#change('search', value)
    this.#link.read(parseForm(this.#parts.search.slice(1)))
  }

  get searchParams(): URLSearchParams {
    return this.#params
  }

  get hash(): string {
    return this.#parts.hash
  }

  set hash(value: string) {
    this.#change('hash', value)
  }

  toString(): string {
    return this.#parts.href
  }

  toJSON(): string {
    return this.#parts.href
  }

  get [Symbol.toStringTag](): string {
    return 'URL'
  }
}
