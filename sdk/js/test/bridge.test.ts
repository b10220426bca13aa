import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Worker } from 'node:worker_threads'
import { bridge, connect, connectPort, createClientTool, message, type Bridge, type BridgeOptions, type ClientTool, type Connection, type ConnectOptions, type PortOptions, type ToolsmithError } from 'toolsmith'
import { FakeServer, Inbox, type FakePort, type Message } from './fakeserver.ts'

const fast: ConnectOptions = { name: 'page', backoff: { first: 1, most: 2 }, pingEvery: 0 }

function tool(name: string, run: ClientTool['call'], context: readonly ('chain' | 'ask' | 'popup')[] = []): ClientTool {
  return createClientTool({ name, description: 'For a test.', parameters: { type: 'object' }, context, function: (args, ctx) => run(args, ctx) })
}

interface Page {
  readonly server: FakeServer
  readonly port: FakePort
  readonly page: Connection
}

async function openPage(t: TestContext, options: Partial<ConnectOptions> = {}): Promise<Page> {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, ...options })
  const port = await server.next()
  await port.welcome()
  const page = await opening
  t.after(() => page.close())
  return { server, port, page }
}

async function openGuest(t: TestContext, page: Connection, options: BridgeOptions = {}, guestOptions: Partial<PortOptions> = {}): Promise<{ guest: Connection; bridged: Bridge }> {
  const { port1, port2 } = new MessageChannel()
  const bridged = bridge(page, port1, options)
  t.after(() => bridged.close())
  const guest = await connectPort(port2, { name: 'guest', ...guestOptions })
  t.after(() => guest.close())
  return { guest, bridged }
}

/** A guest that sends what it likes. */
function rawGuest(t: TestContext, page: Connection, options: BridgeOptions = {}): { inbox: Inbox<Message>; bridged: Bridge; send: (message: unknown) => void } {
  const { port1, port2 } = new MessageChannel()
  const inbox = new Inbox<Message>()
  const bridged = bridge(page, port1, options)
  port2.onmessage = ({ data }: MessageEvent<Message>) => inbox.put(data)
  t.after(() => {
    bridged.close()
    port2.close()
  })
  return { inbox, bridged, send: (each) => port2.postMessage(each) }
}

const call = { type: 'call', id: 'c', tool: 't', arguments: { n: 1 }, deadline: 30_000, taskId: 'task', runId: 'run', caller: 'assistant' }

test('a tool of a guest is supplied and called through the page', async (t) => {
  const { port, page } = await openPage(t)
  const { guest, bridged } = await openGuest(t, page)
  assert.deepEqual([guest.state, guest.server?.name, bridged.guest], ['open', 'toolsmith', 'guest'])
  assert((await guest.ping()) >= 0)
  const registering = guest.register(
    tool('t', async (args, context) => {
      context.progress(1, 2, 'half')
      const chain = await context.getExecutionTaskChain()
      return { args, chain, ids: [context.taskId, context.runId, await context.getCallingToolId()] }
    }, ['chain']),
  )
  assert.deepEqual((await port.registered()).tool['context'], ['chain', 'progress'])
  await registering
  port.send(call)
  assert.deepEqual(await port.next('progress'), { type: 'progress', call: 'c', done: 1, total: 2, note: 'half' })
  const asked = await port.next('context')
  assert.deepEqual([asked['call'], asked['method']], ['c', 'chain'])
  port.send({ type: 'context', id: asked['id'], value: [{ id: 'x', ...message('hi') }] })
  assert.deepEqual((await port.next('result'))['value'], { args: { n: 1 }, chain: [{ id: 'x', ...message('hi') }], ids: ['task', 'run', 'assistant'] })

  const replacing = guest.register(tool('t', (_, context) => Promise.resolve(context.createSubtasksResult(message('new')))))
  await port.registered()
  await replacing
  port.send(call)
  assert.deepEqual((await port.next('result'))['subtasks'], [[message('new')]])
  const failing = guest.register(tool('t', () => Promise.reject(new TypeError('broken'))))
  await port.registered()
  await failing
  port.send(call)
  assert.deepEqual((await port.next('error'))['error'], { code: 'TOOL_FAILED', message: 'broken' })

  const leaving = guest.unregister('t')
  const gone = await port.next('unregister')
  port.send({ type: 'unregistered', id: gone['id'] })
  assert.equal(await leaving, true)
})

test('cancelling and dropping reach the function of a guest', async (t) => {
  const { server, port, page } = await openPage(t)
  const reasons = new Inbox<ToolsmithError>()
  const started = new Inbox<number>()
  const registering = openGuest(t, page, {}, {
    tools: [
      tool('t', (_, { stopSignal }) => {
        stopSignal.addEventListener('abort', () => reasons.put(stopSignal.reason as ToolsmithError))
        started.put(1)
        return new Promise(() => undefined)
      }),
    ],
  })
  await port.registered()
  const { guest } = await registering
  port.send(call)
  await started.next()
  port.send({ type: 'cancel', call: 'c', reason: 'Enough.' })
  assert.deepEqual(await reasons.next().then(({ code, message: text }) => [code, text]), ['ABORTED', 'Enough.'])
  port.send(call)
  await started.next()
  port.drop()
  assert.match((await reasons.next()).message, /port is closed/)
  const again = await server.next()
  await again.welcome()
  assert.equal((await again.registered()).tool.name, 't', 'the tools of guests come back with those of the page')
  assert.equal(guest.state, 'open', 'which guests do not notice')
  again.send(call)
  await started.next()
  guest.close()
  assert.equal((await reasons.next()).code, 'PORT_CLOSED')
  assert.deepEqual(((await again.next('error'))['error'] as ToolsmithError).code, 'PORT_CLOSED')
  assert.equal((await again.next('unregister'))['name'], 't', 'what is gone is taken back')
})

test('a guest calls what the page lets it call, and nothing else', async (t) => {
  const { port, page } = await openPage(t)
  const { guest } = await openGuest(t, page, { calls: ['notes.list'] })
  await assert.rejects(guest.call('notes.delete'), { code: 'TOOL_UNKNOWN' })
  await assert.rejects(guest.call('notes.list', {}, { taskId: 'of somebody else' }), { code: 'PORT_MESSAGE_INVALID', field: '$.taskId' })
  assert(!port.all.some(({ type }) => type === 'call'))
  const seen: unknown[] = []
  const calling = guest.call('notes.list', { q: 'milk' }, { key: 'k', title: 'Look', onProgress: ({ done }) => seen.push(done) })
  const sent = await port.next('call')
  assert.deepEqual([sent['tool'], sent['arguments'], sent['key'], sent['title']], ['notes.list', { q: 'milk' }, 'guest:k', 'Look'])
  port.send({ type: 'progress', id: sent['id'], done: 1, total: 2 })
  port.send({ type: 'result', id: sent['id'], value: [], runId: 'r' })
  assert.deepEqual(await calling, { value: [], runId: 'r' })
  assert.deepEqual(seen, [1])
  const failing = guest.call('notes.list')
  port.send({ type: 'error', id: (await port.next('call'))['id'], error: { code: 'CONSENT_DENIED', message: 'No.' }, runId: 'r2' })
  await assert.rejects(failing, { code: 'CONSENT_DENIED', runId: 'r2' })
  const controller = new AbortController()
  const stopping = guest.call('notes.list', {}, { signal: controller.signal })
  const { id } = await port.next('call')
  controller.abort()
  await assert.rejects(stopping, { code: 'ABORTED' })
  assert.deepEqual(await port.next('cancel'), { type: 'cancel', id })
  const open = guest.call('notes.list')
  const last = await port.next('call')
  guest.close()
  await assert.rejects(open, { code: 'PORT_CLOSED' })
  assert.deepEqual(await port.next('cancel'), { type: 'cancel', id: last['id'] })
})

test('without being let, a guest calls nothing; with "all" anything', async (t) => {
  const { port, page } = await openPage(t)
  const { guest } = await openGuest(t, page)
  await assert.rejects(guest.call('notes.list'), { code: 'TOOL_UNKNOWN' })
  const { guest: trusted } = await openGuest(t, page, { calls: 'all' })
  const calling = trusted.call('notes.list')
  port.send({ type: 'result', id: (await port.next('call'))['id'], value: 1 })
  assert.equal((await calling).value, 1)
})

test('a guest cannot take the place of another tool, nor supply what the page does not let it', async (t) => {
  const { port, page } = await openPage(t)
  const registering = page.register(tool('mine', () => Promise.resolve('of the page')))
  await port.registered()
  await registering
  const { guest } = await openGuest(t, page, { tools: ['mine', 'theirs'] })
  await assert.rejects(guest.register(tool('mine', () => Promise.resolve('of the guest'))), { code: 'TOOL_EXISTS' })
  await assert.rejects(guest.register(tool('other', () => Promise.resolve(1))), { code: 'PORT_TOOL_REFUSED' })
  port.send({ ...call, tool: 'mine' })
  assert.equal((await port.next('result'))['value'], 'of the page')
  const refusing = guest.register(tool('theirs', () => Promise.resolve(1)))
  port.send({ type: 'error', id: (await port.next('register'))['id'], error: { code: 'TOOL_EXISTS', message: 'Taken.' } })
  await assert.rejects(refusing, { code: 'TOOL_EXISTS' })
})

test('the page answers for its guests what it carries out itself', async (t) => {
  const asked: unknown[] = []
  const { port, page } = await openPage(t, {
    context: {
      ask: (form) => (asked.push(form), Promise.resolve('blue')),
      popup: (url) => (asked.push(url), Promise.resolve()),
    },
  })
  const opening = openGuest(t, page, {}, {
    tools: [tool('t', async (_, context) => [await context.interaction({ title: 'Colour?' }), await context.popup('https://example.com/').then(() => 'opened')], ['ask', 'popup'])],
  })
  await port.registered()
  await opening
  port.send(call)
  assert.deepEqual((await port.next('result'))['value'], ['blue', 'opened'])
  assert.deepEqual(asked, [{ title: 'Colour?' }, 'https://example.com/'])
})

const wire = { name: 't', description: 'For a test.', parameters: { type: 'object' }, context: ['progress', 'nonsense'] }

test('a guest that breaks the protocol is answered, or put out', async (t) => {
  const { port, page } = await openPage(t)
  const { inbox, send } = rawGuest(t, page)
  send({ type: 'hello', protocol: 1, name: 'raw' })
  assert.equal((await inbox.next()).type, 'hello')
  for (const [sent, id, code, field] of [
    [{ type: 'surprise', id: 'a' }, 'a', 'PORT_MESSAGE_INVALID', '$.type'],
    [{ type: 'result', call: 5 }, undefined, 'PORT_MESSAGE_INVALID', '$.call'],
    [{ type: 'hello', protocol: 1, name: 'raw' }, undefined, 'PORT_MESSAGE_INVALID', undefined],
    [{ type: 'register', id: 'b', tool: { ...wire, name: 'a b', parameters: 5 } }, 'b', 'DECLARATION_INVALID', '$.name'],
    [{ type: 'context', id: 'c', call: 'none', method: 'secret' }, 'c', 'CONTEXT_UNAVAILABLE', undefined],
  ] as const) {
    send(sent)
    const answer = await inbox.next()
    const error = answer['error'] as ToolsmithError
    assert.deepEqual([answer.type, answer['id'], error.code, error.field], ['error', id, code, field])
  }
  send({ type: 'register', id: 'r', tool: wire })
  assert.deepEqual((await port.registered()).tool, { ...wire, context: ['progress'] })
  assert.deepEqual(await inbox.next(), { type: 'registered', id: 'r', name: 't' })
  port.send(call)
  const forwarded = await inbox.next()
  for (const method of ['secret', 'fetch', 'progress']) {
    send({ type: 'context', id: 'x', call: forwarded['id'], method })
    assert.equal(((await inbox.next())['error'] as ToolsmithError).code, 'CONTEXT_UNAVAILABLE')
  }
  send({ type: 'result', call: forwarded['id'], subtasks: [[{ role: 'tool' }]] })
  assert.equal(((await port.next('error'))['error'] as ToolsmithError).code, 'RESULT_INVALID')
  // What is late or for nobody disturbs nobody.
  for (const late of [{ type: 'result', call: forwarded['id'], value: 1 }, { type: 'progress', call: 'no', done: 1, total: 1 }, { type: 'error', call: 'no', error: { code: 'A', message: 'b' } }, { type: 'cancel', id: 'no' }]) send(late)
  send({ type: 'unregister', id: 'u', name: 'of somebody else' })
  assert.deepEqual(await inbox.next(), { type: 'unregistered', id: 'u' })
  send({ type: 'ping', id: 'p' })
  assert.deepEqual(await inbox.next(), { type: 'pong', id: 'p' })
})

test('a guest that does not greet, or sends what is no message, is put out', async (t) => {
  const { page } = await openPage(t)
  for (const first of [{ type: 'ping', id: 'p' }, { type: 'surprise' }, { type: 'hello', protocol: 2, name: 'x' }, { type: 'hello', protocol: 1, name: 'a b' }, 'text', 5, null, [1], new Map(), { type: 'hello', protocol: 1, name: 'x', big: 1n }, { type: 'hello', protocol: 1, name: 'x', filler: 'x'.repeat(1 << 20) }]) {
    const { bridged, send } = rawGuest(t, page)
    send(first)
    await bridged.closed
  }
})

test('when the page closes its port, its guests are told', async (t) => {
  const { page } = await openPage(t)
  const { guest, bridged } = await openGuest(t, page)
  page.close()
  await bridged.closed
  await guest.closed
  await assert.rejects(guest.call('x'), { code: 'PORT_CLOSED' })
})

test('a guest may have a port of its own, whose token it never sees', async (t) => {
  const server = await FakeServer.start(t)
  const { port1, port2 } = new MessageChannel()
  const bridged = bridge(server.url, port1, { calls: 'all', connect: { token: 'secret-token', pingEvery: 0 } })
  const opening = connectPort(port2, { name: 'guest', token: 'of the guest' } as PortOptions)
  const port = await server.next()
  assert.equal(port.headers.authorization, 'Bearer secret-token')
  assert.equal((await port.welcome())['name'], 'guest')
  const guest = await opening
  const calling = guest.call('x', {}, { key: 'k' })
  const sent = await port.next('call')
  assert.equal(sent['key'], 'k')
  port.send({ type: 'result', id: sent['id'], value: 1 })
  await calling
  guest.close()
  await bridged.closed
  assert.equal((await port.closed).code, 1000)
})

test('a guest whose server refuses it is told why', async (t) => {
  const server = await FakeServer.start(t)
  const { port1, port2 } = new MessageChannel()
  bridge(server.url, port1)
  const opening = connectPort(port2, { name: 'guest' })
  const port = await server.next()
  port.send({ type: 'error', error: { code: 'TOKEN_INVALID', message: 'No token.' } })
  port.socket.close(1008)
  await assert.rejects(opening, { code: 'TOKEN_INVALID' })
  assert.throws(() => bridge({} as Connection, port1), { code: 'ARGUMENTS_INVALID' })
})

test('a port that nobody bridges is given up', async () => {
  const { port1, port2 } = new MessageChannel()
  await assert.rejects(connectPort(port2, { name: 'guest', connectTimeout: 30 }), { code: 'PORT_CLOSED' })
  port1.close()
})

test('a guest in a worker of Node', async (t) => {
  const { port, page } = await openPage(t)
  const { port1, port2 } = new MessageChannel()
  const bridged = bridge(page, port1)
  const worker = new Worker(new URL('fixtures/nodeworker.mjs', import.meta.url), { workerData: { port: port2 }, transferList: [port2 as never] })
  t.after(() => worker.terminate())
  await port.registered()
  port.send({ ...call, arguments: { n: 21 } })
  assert.equal((await port.next('result'))['value'], 42)
  await worker.terminate()
  await bridged.closed
  assert.equal((await port.next('unregister'))['name'], 't', 'a worker that is gone takes its tools with it')
})
