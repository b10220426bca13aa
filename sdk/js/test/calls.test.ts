import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connect, type ConnectOptions, type Connection, type ProgressNote, type ToolsmithError } from 'toolsmith'
import { Calls } from '../src/calls.ts'
import { FakeServer, hello, type FakePort } from './fakeserver.ts'

const fast: ConnectOptions = { name: 'host', backoff: { first: 1, most: 2 }, pingEvery: 0 }

async function open(t: TestContext): Promise<{ server: FakeServer; port: FakePort; connection: Connection }> {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, fast)
  const port = await server.next()
  await port.welcome({ ...hello, limits: { messageBytes: 2048 } })
  const connection = await opening
  t.after(() => connection.close())
  return { server, port, connection }
}

test('a call is a run: what is sent, progress, the result', async (t) => {
  const { port, connection } = await open(t)
  const seen: ProgressNote[] = []
  const calling = connection.call('notes.create', { title: 'a', no: undefined }, { title: 'Keep', key: 'k1', taskId: 'task', deadline: 5000, onProgress: (progress) => seen.push(progress) })
  const { type: _, id, deadline, ...sent } = await port.next('call')
  assert.deepEqual(sent, { tool: 'notes.create', arguments: { title: 'a' }, title: 'Keep', key: 'k1', taskId: 'task' })
  assert(typeof deadline === 'number' && deadline > 4000 && deadline <= 5000)
  port.send({ type: 'progress', id, done: 1, total: 2 })
  port.send({ type: 'progress', id, done: 2, total: 2, note: 'done' })
  port.send({ type: 'result', id, value: { id: 'n1' }, runId: 'r1' })
  assert.deepEqual(await calling, { value: { id: 'n1' }, runId: 'r1' })
  assert.deepEqual(seen, [{ done: 1, total: 2, note: undefined }, { done: 2, total: 2, note: 'done' }])
  port.send({ type: 'progress', id, done: 3, total: 2 })
  port.send({ type: 'result', id, value: 'again' })
  const plain = connection.call('notes.list')
  const next = await port.next('call')
  assert.deepEqual(next, { type: 'call', id: next['id'], tool: 'notes.list', arguments: {} })
  assert.notEqual(next['id'], id)
  port.send({ type: 'result', id: next['id'] })
  assert.deepEqual(await plain, { value: null, runId: undefined })
  assert.equal(seen.length, 2)
})

test('a failure comes with its code, its place and its run', async (t) => {
  const { port, connection } = await open(t)
  const calling = connection.call('x')
  const { id } = await port.next('call')
  port.send({ type: 'error', id, error: { code: 'CONSENT_DENIED', message: 'No.', field: '$.a', details: [1] }, runId: 'r1' })
  await assert.rejects(calling, (error: ToolsmithError) => {
    assert.deepEqual([error.name, error.code, error.message, error.field, error.details, error.runId], ['ToolsmithError', 'CONSENT_DENIED', 'No.', '$.a', [1], 'r1'])
    return true
  })
})

test('a call that is cancelled here is cancelled there', async (t) => {
  const { port, connection } = await open(t)
  const controller = new AbortController()
  const calling = connection.call('x', {}, { signal: controller.signal })
  const { id } = await port.next('call')
  controller.abort(new Error('changed my mind'))
  await assert.rejects(calling, (error: ToolsmithError) => error.code === 'ABORTED' && (error.cause as Error).message === 'changed my mind')
  assert.deepEqual(await port.next('cancel'), { type: 'cancel', id })
  port.send({ type: 'result', id, value: 'late' })
  await assert.rejects(connection.call('x', {}, { signal: AbortSignal.abort() }), { code: 'ABORTED' })
  const again = connection.call('y')
  assert.equal((await port.next('call'))['tool'], 'y', 'what was cancelled before it was sent is not sent')
  assert(!port.inbox.rest.some(({ type }) => type === 'call'))
  connection.close()
  await assert.rejects(again, { code: 'PORT_CLOSED' })
})

test('a call is given up at its deadline', async (t) => {
  const { port, connection } = await open(t)
  await assert.rejects(connection.call('x', {}, { deadline: 20 }), { code: 'CALL_TIME_EXCEEDED', message: 'The call of "x" was given up after 20 ms.' })
  const { id } = await port.next('call')
  assert.deepEqual(await port.next('cancel'), { type: 'cancel', id })
})

test('when the port drops, a call without a key fails, and one with a key attaches to its run', async (t) => {
  const { server, port, connection } = await open(t)
  const plain = connection.call('a')
  const keyed = connection.call('b', { n: 1 }, { key: 'k', deadline: 60_000 })
  await port.next('call')
  const first = await port.next('call')
  port.drop()
  await assert.rejects(plain, { code: 'PORT_CLOSED' })
  const waiting = connection.call('c')
  const again = await server.next()
  await again.welcome()
  const second = await again.next('call')
  assert.deepEqual([second['tool'], second['arguments'], second['key']], ['b', { n: 1 }, 'k'])
  assert((second['deadline'] as number) <= (first['deadline'] as number), 'the time that is left')
  assert.equal((await again.next('call'))['tool'], 'c', 'what was called meanwhile')
  again.send({ type: 'result', id: second['id'], value: 'once', runId: 'r' })
  assert.deepEqual(await keyed, { value: 'once', runId: 'r' })
  connection.close()
  await assert.rejects(waiting, { code: 'PORT_CLOSED' })
})

test('a call that gives up while the port is gone is not made afterwards', async (t) => {
  const { server, port, connection } = await open(t)
  port.drop()
  await assert.rejects(async () => {
    for (;;) await connection.ping()
  }, { code: 'PORT_CLOSED' })
  const controller = new AbortController()
  const calling = connection.call('x', {}, { signal: controller.signal })
  controller.abort()
  await assert.rejects(calling, { code: 'ABORTED' })
  const again = await server.next()
  await again.welcome()
  const next = connection.call('y')
  assert.equal((await again.next('call'))['tool'], 'y')
  connection.close()
  await assert.rejects(next, { code: 'PORT_CLOSED' })
})

test('arguments that cannot be sent', async (t) => {
  const { connection } = await open(t)
  await assert.rejects(connection.call('x', { a: 'x'.repeat(3000) }), { code: 'ARGUMENTS_TOO_LARGE' })
  await assert.rejects(connection.call('x', { a: 1n }), { code: 'ARGUMENTS_INVALID', field: '$.a' })
})

test('no more than 1,000 calls are open at once', async () => {
  let ids = 0
  const calls = new Calls({ send: () => undefined, isOpen: () => true, newId: () => `q${++ids}` })
  const open = Array.from({ length: 1000 }, () => calls.make('x', {}, {}))
  await assert.rejects(calls.make('x', {}, {}), { code: 'PORT_BUSY' })
  calls.result({ type: 'result', id: 'q1', value: 1 })
  assert.deepEqual(await open[0], { value: 1, runId: undefined })
  const more = calls.make('x', {}, {})
  const closed = new Error('closed') as ToolsmithError
  calls.stop(closed)
  const settled = await Promise.allSettled([...open.slice(1), more])
  assert(settled.every((each) => each.status === 'rejected' && each.reason === closed))
})
