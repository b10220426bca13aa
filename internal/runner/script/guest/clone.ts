// structuredClone.

const errors: { readonly [name: string]: ErrorConstructor } = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
const { hasOwn } = Object
const tagOf = Object.prototype.toString

function cannot(what: string): never {
  throw new DOMException(`${what} could not be cloned.`, 'DataCloneError')
}

/** A copy of a value, circles and all, with nothing in it that runs. */
export function structuredClone<T>(value: T, options: { readonly transfer?: readonly unknown[] } = {}): T {
  const seen = new Map<object, unknown>()
  const moved = new Set(options.transfer ?? [])
  for (const one of moved) {
    if (!(one instanceof ArrayBuffer)) cannot('A value in the list of what is transferred')
  }
  const copy = clone(value, seen, moved) as T
  for (const one of moved) if (!seen.has(one as ArrayBuffer)) (one as ArrayBuffer).transfer()
  return copy
}

function clone(value: unknown, seen: Map<object, unknown>, moved: ReadonlySet<unknown>): unknown {
  if (typeof value === 'symbol') return cannot(String(value))
  if (typeof value === 'function') return cannot(`The function ${value.name}`)
  if (typeof value !== 'object' || value === null) return value
  const found = seen.get(value)
  if (found !== undefined) return found
  const keep = <O extends object>(copy: O): O => {
    seen.set(value, copy)
    return copy
  }
  const deeper = (inner: unknown): unknown => clone(inner, seen, moved)
  if (Array.isArray(value)) return members(value, keep(new Array(value.length)), deeper)
  if (value instanceof Map) {
    const copy = keep(new Map())
    for (const [key, item] of [...value]) copy.set(deeper(key), deeper(item))
    return copy
  }
  if (value instanceof Set) {
    const copy = keep(new Set())
    for (const item of [...value]) copy.add(deeper(item))
    return copy
  }
  if (value instanceof ArrayBuffer) return keep(moved.has(value) ? value.transfer() : value.slice(0))
  if (ArrayBuffer.isView(value)) return keep(view(value, deeper(value.buffer) as ArrayBuffer))
  if (value instanceof Error) return failure(value, keep, deeper)
  return boxed(value, keep) ?? plainObject(value, keep, deeper)
}

function members(from: object, to: object, deeper: (inner: unknown) => unknown): object {
  for (const key of Object.keys(from)) {
    const item = deeper((from as { [key: string]: unknown })[key])
    Object.defineProperty(to, key, { value: item, writable: true, enumerable: true, configurable: true })
  }
  return to
}

function view(from: ArrayBufferView, buffer: ArrayBuffer): ArrayBufferView {
  if (from instanceof DataView) return new DataView(buffer, from.byteOffset, from.byteLength)
  const typed = from as Uint8Array
  const made = typed.constructor as Uint8ArrayConstructor
  return new made(buffer, typed.byteOffset, typed.length)
}

function failure(from: Error, keep: <O extends object>(copy: O) => O, deeper: (inner: unknown) => unknown): Error {
  const made = (hasOwn(errors, from.name) ? errors[from.name] : undefined) ?? Error
  const copy = keep(new made(String(from.message)))
  Object.defineProperty(copy, 'stack', { value: String(from.stack), writable: true, enumerable: false, configurable: true })
  if (hasOwn(from, 'cause')) {
    Object.defineProperty(copy, 'cause', { value: deeper(from.cause), writable: true, enumerable: false, configurable: true })
  }
  return copy
}

function boxed(value: object, keep: <O extends object>(copy: O) => O): object | undefined {
  if (value instanceof Date) return keep(new Date(value.getTime()))
  if (value instanceof RegExp) return keep(new RegExp(value.source, value.flags))
  if (value instanceof Boolean || value instanceof Number || value instanceof String || value instanceof BigInt) {
    return keep(Object((value as object as { valueOf(): unknown }).valueOf()) as object)
  }
  return undefined
}

function plainObject(value: object, keep: <O extends object>(copy: O) => O, deeper: (inner: unknown) => unknown): object {
  const tag = tagOf.call(value)
  if (tag !== '[object Object]') return cannot(`A value of the kind ${tag.slice(8, -1)}`)
  return members(value, keep({}), deeper)
}
