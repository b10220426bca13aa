// What the runtime part of the realm uses of the language, taken before any tool runs: a tool may
// change every prototype, and its call still ends as it should. Code on the way of a call keeps to
// these, and to loops over indices: for…of and spreading ask prototypes.

const { bind, call } = Function.prototype

/** Makes of a method a function whose first argument is what it is called on. */
export const uncurry = bind.bind(call) as <T, A extends unknown[], R>(method: (this: T, ...args: A) => R) => (self: T, ...args: A) => R

export const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty, deleteProperty, getPrototypeOf } = Reflect
export const { freeze, hasOwn } = Object
export const { isArray } = Array
export const { isFinite: isFiniteNumber } = Number
export const { parse, stringify } = JSON
export const { imul } = Math
export const { isView } = ArrayBuffer
export const text = String
export const SafePromise = Promise
export const SafeError = Error

export const mapGet = uncurry(Map.prototype.get) as <K, V>(map: Map<K, V>, key: K) => V | undefined
export const mapSet = uncurry(Map.prototype.set) as <K, V>(map: Map<K, V>, key: K, value: V) => Map<K, V>
export const mapDelete = uncurry(Map.prototype.delete) as <K, V>(map: Map<K, V>, key: K) => boolean
export const mapClear = uncurry(Map.prototype.clear) as <K, V>(map: Map<K, V>) => void
export const push = uncurry(Array.prototype.push) as <T>(list: T[], item: T) => number
export const join = uncurry(Array.prototype.join) as (list: readonly unknown[], separator: string) => string
export const slice = uncurry(String.prototype.slice)
export const isWellFormed = uncurry(String.prototype.isWellFormed)
export const toWellFormed = uncurry(String.prototype.toWellFormed)
/** Does what Promise.prototype.then did. */
export const then = uncurry(Promise.prototype.then) as <T>(promise: Promise<T>, done: (value: T) => unknown, failed?: (reason: unknown) => unknown) => Promise<unknown>
