import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { connect, createClientTool, createTool, ToolsmithError, type ConnectionEvent, type ConnectOptions } from 'toolsmith'
import { WebSocket as WsSocket } from 'ws'
import { portAddress } from '../src/websocket.ts'
import { FakeServer, hello, Inbox, type FakePort } from './fakeserver.ts'

const fast: ConnectOptions = { name: 'editor', backoff: { first: 1, most: 2 }, pingEvery: 0 }

function tool(name: string, description = 'Does a thing.') {
  return createClientTool({ name, description, parameters: { type: 'object' }, function: () => description })
}

function events(): { inbox: Inbox<ConnectionEvent>; onEvent: (event: ConnectionEvent) => void } {
  const inbox = new Inbox<ConnectionEvent>()
  return { inbox, onEvent: (event) => inbox.put(event) }
}

test('a host greets, with its token in a header, and is told who the server is', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, version: '1.4.0', token: () => Promise.resolve('secret-token') })
  const port = await server.next()
  assert.equal(port.protocol, 'toolsmith.port.v1')
  assert.equal(port.headers.authorization, 'Bearer secret-token')
  assert.deepEqual(await port.welcome(), { type: 'hello', protocol: 1, name: 'editor', version: '1.4.0' })
  const connection = await opening
  assert.equal(connection.state, 'open')
  assert.deepEqual(connection.server, { name: 'toolsmith', version: '0.1', limits: hello.limits })
  const pinging = connection.ping()
  const ping = await port.next('ping')
  port.send({ type: 'pong', id: ping['id'] })
  assert((await pinging) >= 0)
  connection.close()
  assert.deepEqual(await port.closed, { code: 1000, reason: '' })
  await connection.closed
  assert.equal(connection.state, 'closed')
  await assert.rejects(connection.register(tool('late')), { code: 'PORT_CLOSED' })
  await assert.rejects(connection.call('x'), { code: 'PORT_CLOSED' })
  await assert.rejects(connection.ping(), { code: 'PORT_CLOSED' })
  connection.close()
})

test('a token alone is enough', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, 'secret-token')
  const port = await server.next()
  assert.equal(port.headers.authorization, 'Bearer secret-token')
  assert.deepEqual(await port.welcome(), { type: 'hello', protocol: 1, name: 'typescript' })
  const connection = await opening
  connection.close()
  await connection.closed
})

test('where no header can carry the token, the first message does', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, token: 'secret-token', WebSocket: WsSocket })
  const port = await server.next()
  assert.equal(port.headers.authorization, undefined)
  assert.equal((await port.welcome())['token'], 'secret-token')
  ;(await opening).close()
})

test('tools are registered, replaced and taken back', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, {
    ...fast,
    tools: [
      createClientTool({
        name: 'pick',
        title: 'Pick',
        description: 'Picks.',
        version: '2',
        parameters: { type: 'object' },
        result: { type: 'string' },
        renderOptions: { colour: 'red' },
        context: ['chain', 'ask'],
        secrets: ['key'],
        network: ['api.example.com'],
        calls: ['other'],
        timeout: 5000,
        readOnly: true,
        idempotent: false,
        function: () => 'x',
      }),
    ],
  })
  const port = await server.next()
  await port.welcome()
  assert.deepEqual((await port.registered()).tool, {
    name: 'pick',
    title: 'Pick',
    description: 'Picks.',
    version: '2',
    parameters: { type: 'object' },
    result: { type: 'string' },
    renderOptions: { colour: 'red' },
    timeout: 5000,
    readOnly: true,
    idempotent: false,
    context: ['ask', 'chain', 'fetch', 'progress', 'secret', 'setSecret'],
  })
  const connection = await opening

  const replacing = connection.register(tool('pick', 'Picks anew.'))
  await port.registered()
  await replacing
  port.send({ type: 'call', id: 'c1', tool: 'pick', arguments: {} })
  assert.equal((await port.next('result'))['value'], 'Picks anew.')

  const refusing = connection.register(tool('pick', 'Refused.'))
  const refused = await port.next('register')
  port.send({ type: 'error', id: refused['id'], error: { code: 'TOOL_INVALID', message: 'No.', field: '$.tool' } })
  await assert.rejects(refusing, { code: 'TOOL_INVALID', message: 'No.', field: '$.tool' })
  port.send({ type: 'call', id: 'c2', tool: 'pick', arguments: {} })
  assert.equal((await port.next('result'))['value'], 'Picks anew.', 'a refused replacement changes nothing')

  const leaving = connection.unregister('pick')
  const message = await port.next('unregister')
  assert.equal(message['name'], 'pick')
  port.send({ type: 'unregistered', id: message['id'] })
  assert.equal(await leaving, true)
  assert.equal(await connection.unregister('pick'), false)
  port.send({ type: 'call', id: 'c3', tool: 'pick', arguments: {} })
  assert.equal(((await port.next('error'))['error'] as { code: string }).code, 'TOOL_UNKNOWN')
  connection.close()
})

test('a name that is taken closes a port that was opened for it', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, tools: [tool('taken')] })
  const port = await server.next()
  await port.welcome()
  const message = await port.next('register')
  port.send({ type: 'error', id: message['id'], error: { code: 'TOOL_EXISTS', message: 'There is one.' } })
  await assert.rejects(opening, { code: 'TOOL_EXISTS' })
  assert.equal((await port.closed).code, 1000)
})

test('no more tools than the server takes, and only tools for hosts', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, fast)
  const port = await server.next()
  await port.welcome({ ...hello, limits: { tools: 1 } })
  const connection = await opening
  const registering = connection.register(tool('a'))
  await port.registered()
  await registering
  await assert.rejects(connection.register(tool('b')), { code: 'PORT_TOOLS_EXCEEDED' })
  const inner = createTool({ name: 'c', description: 'Runs inside.', parameters: { type: 'object' }, function: () => 1 })
  await assert.rejects(connection.register(inner as never), { code: 'DECLARATION_INVALID' })
  connection.close()
})

test('after a drop the port is opened again, and the tools are supplied again', async (t) => {
  const server = await FakeServer.start(t)
  const { inbox, onEvent } = events()
  const opening = connect(server.url, { ...fast, onEvent, tools: [tool('a')] })
  const first = await server.next()
  await first.welcome()
  const before = await first.registered()
  const connection = await opening
  first.drop()
  const second = await server.next()
  assert.equal(connection.state, 'opening')
  const meanwhile = connection.register(tool('b'))
  await second.welcome()
  const after = await second.registered()
  assert.deepEqual(after.tool, before.tool, 'the same declaration, word for word')
  assert.equal((await second.registered()).tool.name, 'b')
  await meanwhile
  assert.deepEqual((await inbox.next(({ type }) => type === 'drop')).type, 'drop')
  assert.equal((await inbox.next(({ type }) => type === 'retry')).type, 'retry')
  connection.close()
  assert.equal((await inbox.next(({ type }) => type === 'close')).type, 'close')
})

test('a tool that is refused after a drop is offered again', async (t) => {
  const server = await FakeServer.start(t)
  const { inbox, onEvent } = events()
  const opening = connect(server.url, { ...fast, onEvent, tools: [tool('a')] })
  const first = await server.next()
  await first.welcome()
  await first.registered()
  const connection = await opening
  first.drop()
  const second = await server.next()
  await second.welcome()
  const refused = await second.next('register')
  second.send({ type: 'error', id: refused['id'], error: { code: 'TOOL_EXISTS', message: 'The lost port still has it.' } })
  const event = await inbox.next(({ type }) => type === 'refused')
  assert(event.type === 'refused' && event.tool === 'a' && event.error.code === 'TOOL_EXISTS')
  await second.registered()
  second.send({ type: 'call', id: 'c', tool: 'a', arguments: {} })
  assert.equal((await second.next('result'))['call'], 'c')
  connection.close()
})

test('a server that is not there yet is waited for, and then given up', async (t) => {
  const server = await FakeServer.start(t)
  const { url, port } = server
  await server.stop()
  await assert.rejects(connect(url, { ...fast, connectTimeout: 30 }), (error: ToolsmithError) => {
    assert.equal(error.code, 'PORT_CLOSED')
    assert.match(error.message, /could not be opened within 30 ms/)
    return true
  })
  const { inbox, onEvent } = events()
  const opening = connect(url, { ...fast, onEvent, connectTimeout: Infinity })
  await inbox.next(({ type }) => type === 'retry')
  const later = await FakeServer.start(t, port)
  await (await later.next()).welcome()
  ;(await opening).close()
})

test('a server that refuses is not asked again', async (t) => {
  const server = await FakeServer.start(t)
  const refusing = connect(server.url, { ...fast, connectTimeout: Infinity, token: 'wrong' })
  const first = await server.next()
  await first.next('hello')
  first.send({ type: 'error', error: { code: 'TOKEN_INVALID', message: 'The token is not known.' } })
  first.socket.close(1008, 'token')
  await assert.rejects(refusing, { code: 'TOKEN_INVALID', message: 'The token is not known.' })

  const closing = connect(server.url, { ...fast, connectTimeout: Infinity })
  const second = await server.next()
  second.socket.close(1008, 'no more ports')
  await assert.rejects(closing, { code: 'PORT_CLOSED', message: 'The port is closed: no more ports.' })
})

test('a token that is refused later closes the port for good, unless another one can be had', async (t) => {
  const server = await FakeServer.start(t)
  const refuse = async (port: FakePort): Promise<void> => {
    await port.next('hello')
    port.send({ type: 'error', error: { code: 'HTTP_TOKEN_REFUSED', message: 'The token lets nobody in.' } })
    port.socket.close(1008, 'token refused')
  }
  const { inbox, onEvent } = events()
  const opening = connect(server.url, { ...fast, onEvent, token: 'removed later' })
  const first = await server.next()
  await first.welcome()
  const connection = await opening
  const calling = connection.call('slow', {}, { key: 'k' })
  first.drop()
  await refuse(await server.next())
  await assert.rejects(calling, { code: 'HTTP_TOKEN_REFUSED' })
  await connection.closed
  const closed = await inbox.next(({ type }) => type === 'close')
  assert.equal(closed.type === 'close' && closed.reason, 'The token lets nobody in.')

  let tokens = 0
  const second = connect(server.url, { ...fast, token: () => `token${++tokens}`, WebSocket: WsSocket })
  const port = await server.next()
  assert.equal((await port.welcome())['token'], 'token1')
  const renewed = await second
  port.drop()
  await refuse(await server.next())
  const again = await server.next()
  assert.equal((await again.welcome())['token'], 'token3')
  renewed.close()
})

test('a server that has no room for now is asked again', async (t) => {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, token: 'good' })
  const first = await server.next()
  await first.next('hello')
  first.send({ type: 'error', error: { code: 'PORT_REFUSED', message: 'It cannot be found out now whose token this is.' } })
  first.socket.close(1013, 'later')
  await (await server.next()).welcome()
  ;(await opening).close()
})

test('a server that greets wrongly is left', async (t) => {
  const server = await FakeServer.start(t)
  for (const [answer, reason] of [
    [{ ...hello, protocol: 2 }, /another protocol/],
    [{ type: 'registered', id: 'x' }, /first message/],
    [{ type: 'nonsense' }, /first message/],
  ] as const) {
    const { inbox, onEvent } = events()
    const opening = connect(server.url, { ...fast, onEvent, connectTimeout: Infinity })
    const port = await server.next()
    await port.welcome(answer)
    assert.equal((await port.closed).code, 4008)
    const drop = await inbox.next(({ type }) => type === 'drop')
    assert.match(drop.type === 'drop' ? drop.reason : '', reason)
    await (await server.next()).welcome()
    ;(await opening).close()
  }
})

test('a server that says nothing is left in time', async (t) => {
  const server = await FakeServer.start(t)
  await assert.rejects(connect(server.url, { ...fast, connectTimeout: 40 }), { code: 'PORT_CLOSED' })
})

test('what is no message closes the port, and what is of an unknown type is answered', async (t) => {
  const server = await FakeServer.start(t)
  const { inbox, onEvent } = events()
  const opening = connect(server.url, { ...fast, onEvent })
  let port = await server.next()
  await port.welcome()
  const connection = await opening
  for (const [frame, code] of [
    ['{"type":', 4007],
    ['[1]', 4007],
    ['null', 4007],
    [Buffer.from('{}'), 4007],
    [JSON.stringify({ type: 'pong', id: 'x', filler: 'x'.repeat(1 << 20) }), 4009],
  ] as const) {
    port.sendRaw(frame)
    assert.equal((await port.closed).code, code)
    port = await server.next()
    await port.welcome()
  }
  for (const [message, field] of [
    [{ type: 'surprise', id: 'x' }, '$.type'],
    [{ type: 'constructor' }, '$.type'],
    [{ id: 'x' }, '$.type'],
    [{ type: 'call', id: 'c', tool: 'a' }, '$.arguments'],
    [{ type: 'call', id: 'x'.repeat(65), tool: 'a', arguments: {} }, '$.id'],
    [{ type: 'progress', id: 'x', done: '1', total: 2 }, '$.done'],
    [{ type: 'error', error: { code: 1 } }, '$.error'],
  ] as const) {
    port.send(message)
    const { error } = (await port.next('error')) as unknown as { error: { code: string; field: string } }
    assert.deepEqual([error.code, error.field], ['PORT_MESSAGE_INVALID', field])
  }
  // What answers nothing, and a second greeting, disturb nobody.
  for (const message of [{ type: 'pong', id: 'z' }, { type: 'result', id: 'z' }, { type: 'error', id: 'z', error: { code: 'A', message: 'b' } }, { type: 'cancel', call: 'z' }, hello]) port.send(message)
  port.send({ type: 'error', error: { code: 'PORT_MESSAGE_INVALID', message: 'You.' } })
  const fault = await inbox.next(({ type }) => type === 'fault')
  assert(fault.type === 'fault' && fault.error.message === 'You.')
  connection.close()
})

test('a server that does not answer pings any more is left', async (t) => {
  const server = await FakeServer.start(t)
  server.onMessage = ({ type, id }, port) => {
    if (type === 'ping' && id === 'ping1') port.send({ type: 'pong', id })
  }
  const { inbox, onEvent } = events()
  const opening = connect(server.url, { ...fast, onEvent, pingEvery: 500 })
  const port = await server.next()
  await port.welcome()
  const connection = await opening
  const drop = await inbox.next(({ type }) => type === 'drop')
  assert.match(drop.type === 'drop' ? drop.reason : '', /ping/)
  assert.deepEqual(port.all.map(({ id }) => id).slice(1, 3), ['ping1', 'ping2'], 'the first was answered')
  connection.close()
})

test('a signal closes the port, before and after it is open', async (t) => {
  const server = await FakeServer.start(t)
  await assert.rejects(connect(server.url, { ...fast, signal: AbortSignal.abort() }), { code: 'ABORTED' })
  const early = new AbortController()
  const opening = connect(server.url, { ...fast, signal: early.signal })
  await server.next()
  early.abort()
  await assert.rejects(opening, { code: 'ABORTED' })
  const late = new AbortController()
  const open = connect(server.url, { ...fast, signal: late.signal })
  const port = await server.next()
  await port.welcome()
  const connection = await open
  late.abort()
  assert.equal((await port.closed).code, 1000)
  await connection.closed
})

test('addresses', () => {
  const port = (url: string, options = {}): string => portAddress(url, options).href
  assert.equal(port('http://127.0.0.1:7420'), 'ws://127.0.0.1:7420/v1/port')
  assert.equal(port('https://tools.example/base#x'), 'wss://tools.example/base')
  assert.equal(port('http://localhost:1/', { token: 'x' }), 'ws://localhost:1/v1/port')
  assert.equal(port('http://[::1]:1/', { token: 'x' }), 'ws://[::1]:1/v1/port')
  assert.equal(port('http://10.0.0.1/', { token: 'x', allowInsecure: true }), 'ws://10.0.0.1/v1/port')
  for (const [url, options, what] of [
    ['nowhere', {}, /cannot be read/],
    ['ftp://x', {}, /begins with/],
    ['http://u:p@127.0.0.1', {}, /name and password/],
    ['http://10.0.0.1', { token: 'x' }, /for all to read/],
    ['ws://127.0.0.1.evil.example', { token: 'x' }, /for all to read/],
  ] as const) {
    assert.throws(() => port(url, options), { code: 'PORT_URL_INVALID', message: what })
  }
})

test('a name that no port can have, and a token that cannot be had', async () => {
  await assert.rejects(connect('http://127.0.0.1:1', { name: 'a b' }), { code: 'PORT_NAME_INVALID', field: '$.name' })
  await assert.rejects(
    connect('http://127.0.0.1:1', { ...fast, connectTimeout: 30, token: () => Promise.reject(new Error('no keyring')) }),
    { code: 'PORT_CLOSED', message: /no keyring/ },
  )
})

test('a program whose port was closed ends by itself', async (t) => {
  const server = await FakeServer.start(t)
  const program = `
    import { connect, createClientTool } from 'toolsmith'
    const connection = await connect(process.argv[1], {
      name: 'program',
      tools: [createClientTool({ name: 'slow', description: 'Waits.', parameters: { type: 'object' }, function(args, context) {
        context.progress(1, 2)
        return new Promise(() => undefined)
      } })],
    })
    connection.call('x', {}, { deadline: 60_000 }).catch((error) => { process.stdout.write(error.code) })
    process.stdin.once('data', () => { connection.close() })`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, server.url], { cwd: new URL('..', import.meta.url), stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  let out = ''
  child.stdout.on('data', (data) => (out += String(data)))
  const port = await server.next()
  await port.welcome()
  await port.registered()
  port.send({ type: 'call', id: 'c', tool: 'slow', arguments: {}, deadline: 60_000 })
  await port.next('progress')
  await port.next('call')
  child.stdin.end('close\n')
  // With a timer left, it would go on for a minute.
  const began = performance.now()
  assert.deepEqual(await ended, [0, null])
  assert(performance.now() - began < 25_000)
  assert.equal(out, 'PORT_CLOSED')
})
