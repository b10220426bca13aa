// TextEncoder and TextDecoder for UTF-8. Most of the work is done by functions of the engine, which
// are a hundred times faster than a loop here: a text of bytes is one character for each byte.

const { fromBase64 } = Uint8Array
const bytesFromBase64 = (text: string): Uint8Array<ArrayBuffer> => fromBase64.call(Uint8Array, text)
const encodeText = encodeURIComponent
const decodeText = decodeURIComponent
const escapeBytes = escape
const unescapeBytes = unescape
const toBinary = atob
const toBase64 = btoa
const beyondASCII = /[^\x00-\x7f]/

/** The bytes of a text in UTF-8; half a character becomes U+FFFD. */
export function encodeUTF8(text: string): Uint8Array<ArrayBuffer> {
  return bytesFromBase64(toBase64(beyondASCII.test(text) ? unescapeBytes(encodeText(text.toWellFormed())) : text))
}

/** The text of bytes in UTF-8, undefined where they are none and fatal is set. */
export function decodeUTF8(bytes: Uint8Array, fatal = false): string | undefined {
  const binary = toBinary(bytes.toBase64())
  if (!beyondASCII.test(binary)) return binary
  try {
    return decodeText(escapeBytes(binary))
  } catch (thrown) {
    if (!(thrown instanceof URIError)) throw thrown
    return fatal ? undefined : decodeLoosely(bytes)
  }
}

/** Bytes of any view or buffer, not copied. */
export function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  throw new TypeError('it takes an ArrayBuffer or a view of one')
}

/** How many bytes a character has that begins with this one, 0 for none. */
function lengthOf(byte: number): number {
  if (byte < 0x80) return 1
  if (byte >= 0xc2 && byte < 0xe0) return 2
  if (byte >= 0xe0 && byte < 0xf0) return 3
  return byte >= 0xf0 && byte < 0xf5 ? 4 : 0
}

/** Whether a byte can be the one at this place of a character that begins with the first. */
function follows(first: number, place: number, byte: number): boolean {
  if (place > 1) return byte >= 0x80 && byte < 0xc0
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  return byte >= low && byte <= high
}

/** How many bytes from here belong to one character, or to the beginning of one that breaks off. */
function reach(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  const length = lengthOf(first)
  let n = 1
  while (n < length && at + n < bytes.length && follows(first, n, bytes[at + n] ?? 0)) n++
  return n
}

function decodeLoosely(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const n = reach(bytes, at)
    const first = bytes[at] ?? 0
    const byte = (i: number): number => (bytes[at + i] ?? 0) & 0x3f
    if (n !== lengthOf(first)) parts.push('\ufffd')
    else if (n === 1) parts.push(String.fromCharCode(first))
    else if (n === 2) parts.push(String.fromCharCode(((first & 0x1f) << 6) | byte(1)))
    else if (n === 3) parts.push(String.fromCharCode(((first & 0x0f) << 12) | (byte(1) << 6) | byte(2)))
    else parts.push(String.fromCodePoint(((first & 0x07) << 18) | (byte(1) << 12) | (byte(2) << 6) | byte(3)))
    at += n
  }
  return parts.join('')
}

/** How many bytes at the end are the beginning of a character that is not whole yet. */
function unfinished(bytes: Uint8Array): number {
  for (let n = 1; n <= 3 && n <= bytes.length; n++) {
    const at = bytes.length - n
    const length = lengthOf(bytes[at] ?? 0)
    if (length > 1) return length > n && reach(bytes, at) === n ? n : 0
    if (length === 1) return 0
  }
  return 0
}

/** Writes text as UTF-8. */
export class TextEncoder {
  get encoding(): string {
    return 'utf-8'
  }

  encode(text: string = ''): Uint8Array<ArrayBuffer> {
    return encodeUTF8(String(text))
  }

  encodeInto(source: string, target: Uint8Array): { read: number; written: number } {
    const text = String(source)
    const all = encodeUTF8(text)
    if (all.length <= target.length) {
      target.set(all)
      return { read: text.length, written: all.length }
    }
    let written = target.length
    // Back to where a character begins.
    while (written > 0 && ((all[written] ?? 0) & 0xc0) === 0x80) written--
    target.set(all.subarray(0, written))
    return { read: (decodeUTF8(all.subarray(0, written)) ?? '').length, written }
  }

  get [Symbol.toStringTag](): string {
    return 'TextEncoder'
  }
}

const labels: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'unicode-1-1-utf-8', 'unicode11utf8', 'unicode20utf8', 'x-unicode20utf8'])

/** Reads text in UTF-8; there is no other encoding. */
export class TextDecoder {
  readonly fatal: boolean
  readonly ignoreBOM: boolean
  #rest: Uint8Array = new Uint8Array(0)
  #begun = false

  constructor(label = 'utf-8', options: { readonly fatal?: boolean; readonly ignoreBOM?: boolean } = {}) {
    if (!labels.has(String(label).trim().toLowerCase())) throw new RangeError(`There is no encoding "${label}" here, only UTF-8`)
    this.fatal = Boolean(options.fatal)
    this.ignoreBOM = Boolean(options.ignoreBOM)
  }

  get encoding(): string {
    return 'utf-8'
  }

  decode(data?: ArrayBuffer | ArrayBufferView, options: { readonly stream?: boolean } = {}): string {
    const bytes = joined(this.#rest, data === undefined ? new Uint8Array(0) : bytesOf(data))
    const keep = options.stream === true ? unfinished(bytes) : 0
    this.#rest = bytes.slice(bytes.length - keep)
    const text = decodeUTF8(bytes.subarray(0, bytes.length - keep), this.fatal)
    if (text === undefined) {
      this.#rest = new Uint8Array(0)
      this.#begun = false
      throw new TypeError('The bytes are no valid UTF-8')
    }
    const whole = this.#begun || this.ignoreBOM || !text.startsWith('\ufeff') ? text : text.slice(1)
    this.#begun = options.stream === true && (this.#begun || text !== '')
    return whole
  }

  get [Symbol.toStringTag](): string {
    return 'TextDecoder'
  }
}

function joined(one: Uint8Array, two: Uint8Array): Uint8Array {
  if (one.length === 0) return two
  const both = new Uint8Array(one.length + two.length)
  both.set(one)
  both.set(two, one.length)
  return both
}
