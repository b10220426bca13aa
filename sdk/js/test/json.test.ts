import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { errorData, ToolsmithError } from '../src/error.ts'
import { byteLength, encode, plain } from '../src/json.ts'
import { readHostMessage, readLimits, readServerMessage, defaultLimits } from '../src/protocol.ts'

test('JSON values are written as JSON.stringify writes them', () => {
  const values = fc.jsonValue({ maxDepth: 5 }).filter((value) => !/\p{Surrogate}/u.test(JSON.stringify(value).replace(/\\u/g, '')))
  fc.assert(
    fc.property(values, (value) => {
      try {
        assert.equal(encode(value), JSON.stringify(value))
        assert.deepEqual(plain(value), JSON.parse(JSON.stringify(value)))
      } catch (error) {
        // The one kind of JSON value that is refused.
        assert(error instanceof ToolsmithError && error.message.includes('half a character'))
      }
    }),
  )
})

test('whatever is not JSON is refused, and nothing is changed in silence', () => {
  fc.assert(
    fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withTypedArray: true }), (value) => {
      try {
        JSON.parse(encode(value))
      } catch (error) {
        assert(error instanceof ToolsmithError, String(error))
      }
    }),
  )
})

const circle: { inner?: unknown } = {}
circle.inner = [circle]
let deep: unknown = 1
for (let i = 0; i < 100; i++) deep = [deep]
const refused: readonly [name: string, value: unknown, field: string][] = [
  ['NaN', [Number.NaN], '$[0]'],
  ['infinity', { a: -Infinity }, '$.a'],
  ['a big integer', { a: { b: 1n } }, '$.a.b'],
  ['a function', { 'a b': () => 1 }, '$["a b"]'],
  ['a symbol', [Symbol('x')], '$[0]'],
  ['a hole', [1, undefined], '$[1]'],
  ['a map', { a: new Map() }, '$.a'],
  ['a set', new Set(), '$'],
  ['bytes', { a: new Uint8Array(2) }, '$.a'],
  ['a promise that nobody waited for', { a: Promise.resolve(1) }, '$.a'],
  ['half a character', { a: 'x\uDC00' }, '$.a'],
  ['half a character in a name', { '\uD800': 1 }, '$'],
  ['a circle', circle, '$.inner[0]'],
  ['a date that is none', { a: new Date(Number.NaN), b: { toJSON: () => 1n } }, '$.b'],
]
for (const [name, value, field] of refused) {
  test(`refused: ${name}`, () => assert.throws(() => encode(value), { code: 'RESULT_INVALID', field }))
}
test('what is nested too deeply is refused', () => assert.throws(() => encode(deep), /64 levels/))

test('dates are texts, undefined is left out, and __proto__ is a name like others', () => {
  assert.equal(encode({ at: new Date(0), no: undefined }), '{"at":"1970-01-01T00:00:00.000Z"}')
  assert.equal(encode(undefined), 'null')
  const hostile = JSON.parse('{"__proto__": {"x": 1}}') as object
  const copy = plain(hostile) as { x?: unknown }
  assert.equal(copy.x, undefined)
  assert.deepEqual(Object.keys(copy), ['__proto__'])
})

test('the length in UTF-8 is what an encoder says', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(byteLength(text), new TextEncoder().encode(text).length)))
})

test('messages are read or found wrong, and never throw', () => {
  const types = fc.constantFrom('hello', 'call', 'cancel', 'context', 'result', 'error', 'progress', 'registered', 'pong', 'constructor', '__proto__')
  const fields = fc.dictionary(fc.constantFrom('id', 'call', 'tool', 'arguments', 'error', 'value', 'protocol', 'done', 'total', 'subtasks'), fc.jsonValue())
  fc.assert(
    fc.property(types, fields, (type, rest) => {
      for (const read of [readServerMessage, readHostMessage]) {
        const message = read({ ...(rest as object), type })
        if (message.type === 'fault') assert.match(message.message, /\.$/)
        else assert.equal(message.type, type)
      }
    }),
  )
})

test('a limit that makes no sense is not taken', () => {
  assert.deepEqual(readLimits(undefined), defaultLimits)
  assert.deepEqual(readLimits({ messageBytes: -1, tools: 1.5, calls: '3' as never }), defaultLimits)
  assert.deepEqual(readLimits({ messageBytes: 2048, tools: 3, calls: 1 }), { messageBytes: 2048, tools: 3, calls: 1 })
})

test('anything that is thrown becomes an error with a code, without a stack', () => {
  assert.deepEqual(errorData(new ToolsmithError('NO', 'not so', { field: '$.a', details: [1] })), { code: 'NO', message: 'not so', field: '$.a', details: [1] })
  assert.deepEqual(errorData(new ToolsmithError('not a code', 'x')), { code: 'TOOL_FAILED', message: 'x' })
  assert.deepEqual(errorData(new TypeError('bad')), { code: 'TOOL_FAILED', message: 'bad' })
  assert.deepEqual(errorData(new TypeError()), { code: 'TOOL_FAILED', message: 'TypeError' })
  assert.deepEqual(errorData('text'), { code: 'TOOL_FAILED', message: 'text' })
  assert.equal(errorData(new Error('a\uD800b')).message, 'a\uFFFDb')
  assert.equal(errorData(new Error('x'.repeat(9000))).message.length, 4001)
})
