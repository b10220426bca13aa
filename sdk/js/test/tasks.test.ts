import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSubtasksResult, failure, message, previous, returns, structured, toolCall, ToolsmithError } from 'toolsmith'
import { isSubtasksResult, readChain } from '../src/tasks.ts'

test('constructors make tasks as they are written in files', () => {
  assert.deepEqual(toolCall('lookup', { q: previous('items.0') }, { runOn: 'settled' }), {
    role: 'tool',
    content: { type: 'tool', data: { name: 'lookup', arguments: { q: { $ref: '$previous.items.0' } }, runOn: 'settled' } },
  })
  assert.deepEqual(toolCall({ name: 'lookup', arguments: { q: 1 } }), toolCall('lookup', { q: 1 }))
  assert.deepEqual(toolCall('lookup'), toolCall({ name: 'lookup' }))
  assert.deepEqual(message('hi', 'user'), { role: 'user', content: { type: 'message', data: 'hi' } })
  assert.deepEqual(message('hi').role, 'assistant')
  assert.deepEqual(structured([1]), { role: 'tool', content: { type: 'structured', data: [1] } })
  assert.deepEqual(returns(), { role: 'system', content: { type: 'return', data: null } })
  assert.deepEqual(failure('NO', 'not so', 3).content.data, { code: 'NO', message: 'not so', details: 3 })
  assert.deepEqual(failure('NO', 'not so').content.data, { code: 'NO', message: 'not so' })
  assert.deepEqual(previous(), { $ref: '$previous' })
})

test('one task, a chain and branches are all taken', () => {
  const task = message('a')
  assert.deepEqual(createSubtasksResult(task).chains, [[task]])
  assert.deepEqual(createSubtasksResult([task, returns()]).chains, [[task, returns()]])
  assert.deepEqual(createSubtasksResult([[task], [task, returns('x')]]).chains, [[task], [task, returns('x')]])
  assert(isSubtasksResult(createSubtasksResult(task)))
  assert(!isSubtasksResult({ chains: [[task]] }), 'what only looks like it is a plain value')
  const spelled = { role: 'tool', content: { type: 'functioncall', data: { name: 'a', arguments: {} } } }
  assert.deepEqual(createSubtasksResult(spelled as never).chains, [[toolCall('a')]])
})

const wrong: readonly [name: string, value: unknown, places: string[]][] = [
  ['nothing', [], ['[0]']],
  ['an empty branch', [[message('a')], []], ['[1]']],
  ['a task after a return', [message('a'), returns(), message('b')], ['[0][2]']],
  ['no task', ['x'], ['[0][0]']],
  ['no content', { role: 'tool' }, ['[0][0].content']],
  ['wrong parts of many', [[{ role: 'robot', content: { type: 'message', data: 5 } }], [{ role: 'tool', content: { type: 'x' } }]], ['[0][0].role', '[0][0].content.data', '[1][0].content.type']],
  ['a call without a name', { role: 'tool', content: { type: 'tool', data: { name: ' ', arguments: [], runOn: 'never' } } }, ['[0][0].content.data.name', '[0][0].content.data.arguments', '[0][0].content.data.runOn']],
  ['a call that is a text', { role: 'tool', content: { type: 'tool', data: 'x' } }, ['[0][0].content.data']],
  ['an error without a code', { role: 'tool', content: { type: 'error', data: { message: 'x' } } }, ['[0][0].content.data']],
  ['data that JSON cannot hold', structured({ a: [1, Number.NaN] }), ['[0][0].content.data.a[1]']],
  ['too many tasks', Array.from({ length: 1001 }, () => message('a')), ['$']],
]
for (const [name, value, places] of wrong) {
  test(`refused: ${name}`, () => {
    assert.throws(
      () => createSubtasksResult(value as never),
      (error: ToolsmithError) => {
        assert.equal(error.code, 'RESULT_INVALID')
        assert.deepEqual((error.details as string[]).map((problem) => problem.slice(0, problem.indexOf(':'))), places)
        assert.equal(error.field, places[0])
        return true
      },
    )
  })
}

test('whatever is given, it is taken or refused with a code', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      try {
        createSubtasksResult(value as never)
      } catch (error) {
        assert(error instanceof ToolsmithError)
      }
    }),
  )
})

test('a chain is read in both ways of writing it', () => {
  const entry = { id: 'a', role: 'user', type: 'message', data: 'hi', branch: 0, depth: 1 }
  const task = { id: 'a', role: 'user', content: { type: 'message', data: 'hi' }, branch: 0, depth: 1 }
  assert.deepEqual(readChain([entry, task]), [task, task])
  for (const bad of [null, {}, [3]]) assert.throws(() => readChain(bad), { code: 'PORT_MESSAGE_INVALID' })
})
