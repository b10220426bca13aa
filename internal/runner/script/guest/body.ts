// What requests and responses have in common: a body, whole and in memory. There are no streams.
import { bytesOf, decodeUTF8, encodeUTF8 } from './encoding.ts'
import { URLSearchParams } from './url.ts'

/** A body, as text or as bytes, whichever it came as. */
export interface Content {
  readonly text?: string
  readonly bytes?: Uint8Array<ArrayBuffer>
  /** The media type, where the body says it by itself. */
  readonly type?: string
}

/** Reads what a caller gives as a body: text, bytes, a form, or an object or list, which becomes JSON. */
export function contentOf(given: unknown): Content | undefined {
  if (given === undefined || given === null) return undefined
  if (given instanceof URLSearchParams) return { text: given.toString(), type: 'application/x-www-form-urlencoded;charset=UTF-8' }
  if (given instanceof ArrayBuffer || ArrayBuffer.isView(given)) return { bytes: bytesOf(given).slice() }
  if (typeof given === 'object' && isPlain(given)) return { text: JSON.stringify(given), type: 'application/json' }
  return { text: String(given).toWellFormed(), type: 'text/plain;charset=UTF-8' }
}

function isPlain(given: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(given)
  return Array.isArray(given) || prototype === null || prototype === Object.prototype
}

const contents = new WeakMap<Body, Content>()

/** The content of a body that was not read yet, and from now on is. */
export function takeContent(body: Body): Content | undefined {
  return body.bodyUsed ? used() : take(body)
}

/** The content of a body for a copy of it. */
export function shareContent(body: Body): Content | undefined {
  return body.bodyUsed ? used() : contents.get(body)
}

function used(): never {
  throw new TypeError('The body has been read already')
}

let take: (body: Body) => Content | undefined

/** Something with a body. */
export class Body {
  #used = false

  static {
    take = (body) => {
      const content = contents.get(body)
      body.#used = content !== undefined
      return content
    }
  }

  constructor(content: Content | undefined) {
    if (content !== undefined) contents.set(this, content)
  }

  get bodyUsed(): boolean {
    return this.#used
  }

  async text(): Promise<string> {
    const content = takeContent(this)
    if (content?.bytes !== undefined) return (decodeUTF8(content.bytes) ?? '').replace(/^\ufeff/, '')
    return (content?.text ?? '').replace(/^\ufeff/, '')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    const content = takeContent(this)
    return content?.bytes?.slice() ?? encodeUTF8(content?.text ?? '')
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.bytes()).buffer
  }
}
