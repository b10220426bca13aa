import { ToolsmithError } from './error.ts'

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A JSON object. */
export type JsonObject = { readonly [key: string]: Json }

const mostDepth = 64
const loneSurrogate = /\p{Surrogate}/u
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/

/** Writes the path of a part of a value, as messages show it. */
export function pathOf(parent: string, key: string | number): string {
  if (typeof key === 'number') return `${parent}[${key}]`
  return plainKey.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`
}

/** Whether a value is an object with fields: no array, no null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Writes a value as JSON, and refuses what JSON.stringify would quietly change: functions,
 * symbols, big integers, numbers that are not finite, maps and the like, texts with half a
 * character, circles. A field that is undefined is left out, as JSON.stringify does.
 *
 * @param code of the error, whose field is the path of what cannot be written
 */
export function encode(value: unknown, code = 'RESULT_INVALID', path = '$'): string {
  const fault = faultOf(value, path, [])
  if (fault !== undefined) {
    throw new ToolsmithError(code, `${fault.path}: ${fault.what}, which JSON cannot hold.`, { field: fault.path })
  }
  return JSON.stringify(value ?? null)
}

/** A copy of a value with nothing in it but JSON; {@link encode} says what is refused. */
export function plain(value: unknown, code?: string, path?: string): Json {
  return JSON.parse(encode(value, code, path)) as Json
}

interface Fault {
  readonly path: string
  readonly what: string
}

function faultOf(value: unknown, path: string, above: readonly object[]): Fault | undefined {
  switch (typeof value) {
    case 'undefined':
    case 'boolean':
      return undefined
    case 'string':
      return loneSurrogate.test(value) ? { path, what: 'it is a text with half a character' } : undefined
    case 'number':
      return Number.isFinite(value) ? undefined : { path, what: `it is ${value}` }
    case 'object':
      return value === null ? undefined : faultInside(value, path, above)
    default:
      return { path, what: `it is a ${typeof value}` }
  }
}

function faultInside(value: object, path: string, above: readonly object[]): Fault | undefined {
  if (above.includes(value)) return { path, what: 'it contains itself' }
  if (above.length >= mostDepth) return { path, what: `it is nested deeper than ${mostDepth} levels` }
  if (hasToJson(value)) return faultOf(value.toJSON(), path, [...above, value])
  const inner = [...above, value]
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i]
      if (item === undefined) return { path: pathOf(path, i), what: 'it is undefined' }
      const fault = faultOf(item, pathOf(path, i), inner)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer || value instanceof Promise) {
    return { path, what: `it is a ${(prototype as { constructor: { name: string } }).constructor.name}` }
  }
  for (const [key, item] of Object.entries(value)) {
    if (loneSurrogate.test(key)) return { path, what: 'it has a field whose name has half a character' }
    const fault = faultOf(item, pathOf(path, key), inner)
    if (fault !== undefined) return fault
  }
  return undefined
}

function hasToJson(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function'
}

/** The length of a text in UTF-8, without the TextEncoder that small engines lack. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    // The two halves of a character beyond 0xFFFF are 4 bytes together, 2 for each.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2
  }
  return bytes
}
