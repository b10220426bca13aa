// Headers.

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const value = /^[\t\x20-\x7e\x80-\xff]*$/

function nameOf(name: unknown): string {
  const text = String(name)
  if (!token.test(text)) throw new TypeError(`"${text}" is no name of a header`)
  return text.toLowerCase()
}

function valueOf(name: string, given: unknown): string {
  const text = String(given).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '')
  // What it is stays unsaid: it may be a secret.
  if (!value.test(text)) throw new TypeError(`The value of the header "${name}" has characters that no header may hold`)
  return text
}

/** The headers of a request or a response. */
export class Headers {
  readonly #values = new Map<string, string[]>()

  constructor(init?: unknown) {
    if (init === undefined || init === null) return
    if (typeof init !== 'object') throw new TypeError('Headers are made of an object, pairs or other Headers')
    if (Symbol.iterator in init) {
      for (const each of init as Iterable<Iterable<unknown>>) {
        const pair = [...each]
        if (pair.length !== 2) throw new TypeError('Each header has a name and a value')
        this.append(pair[0] as string, pair[1] as string)
      }
      return
    }
    for (const [name, given] of Object.entries(init)) this.append(name, given as string)
  }

  append(name: string, given: string): void {
    const key = nameOf(name)
    const list = this.#values.get(key) ?? []
    list.push(valueOf(key, given))
    this.#values.set(key, list)
  }

  delete(name: string): void {
    this.#values.delete(nameOf(name))
  }

  get(name: string): string | null {
    return this.#values.get(nameOf(name))?.join(', ') ?? null
  }

  getSetCookie(): string[] {
    return [...(this.#values.get('set-cookie') ?? [])]
  }

  has(name: string): boolean {
    return this.#values.has(nameOf(name))
  }

  set(name: string, given: string): void {
    const key = nameOf(name)
    this.#values.set(key, [valueOf(key, given)])
  }

  forEach(each: (value: string, name: string, headers: Headers) => unknown, self?: unknown): void {
    for (const [name, given] of this) each.call(self, given, name, this)
  }

  *entries(): IterableIterator<[name: string, value: string]> {
    for (const name of [...this.#values.keys()].sort()) {
      const list = this.#values.get(name) ?? []
      if (name !== 'set-cookie') yield [name, list.join(', ')]
      else for (const each of list) yield [name, each]
    }
  }

  *keys(): IterableIterator<string> {
    for (const pair of this) yield pair[0]
  }

  *values(): IterableIterator<string> {
    for (const pair of this) yield pair[1]
  }

  [Symbol.iterator](): IterableIterator<[name: string, value: string]> {
    return this.entries()
  }

  get [Symbol.toStringTag](): string {
    return 'Headers'
  }
}
