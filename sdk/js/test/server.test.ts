// The package against the real server: what both sides say of the protocol is one thing.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { connect, createClientTool, ToolsmithError, type ConnectOptions, type Connection } from 'toolsmith'
import { startServer, type Server } from '../scripts/server.ts'

/** Starts a server in which nobody is asked. */
async function serve(t: TestContext): Promise<Server> {
  const server = await startServer()
  t.after(() => server.stop())
  for (const power of ['read', 'write', 'outbound']) server.command('settings', 'set', power, 'allow')
  return server
}

const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } as const

async function open(t: TestContext, server: Server, options: Partial<ConnectOptions> = {}): Promise<Connection> {
  const connection = await connect(server.url, { name: 'editor', token: server.token, backoff: { first: 5, most: 20 }, ...options })
  t.after(() => connection.close())
  return connection
}

function chain(...calls: readonly [name: string, args: object][]): object[] {
  return calls.map(([name, args]) => ({ role: 'tool', content: { type: 'tool', data: { name, arguments: args } } }))
}

test('a tool in Node is a part of a chain, and calls tools of the server', async (t) => {
  const server = await serve(t)
  const shout = createClientTool({
    name: 'shout', description: 'Says it loudly.', parameters: text,
    function: (args) => args.text.toUpperCase(),
  })
  const connection = await open(t, server, { tools: [shout] })
  const came = await server.ask('/v1/runs?wait=30', chain(['shout', { text: 'green' }], ['shout', { text: { $ref: '$previous' } }]))
  assert.deepEqual([came.status, came.data['status'], came.data['value']], [200, 'succeeded', 'GREEN'])
  // What has read private data is asked about before it goes to another program, whatever is set.
  const leaks = await server.ask('/v1/runs', chain(['notes.create', { title: 'tea', content: 'green' }], ['shout', { text: { $ref: '$previous.content' } }]))
  let questions: readonly { id: string; reason: string }[] = []
  while (questions.length === 0) questions = (await server.ask('/v1/consents')).data['consents'] as typeof questions
  assert.equal(questions[0]?.reason, 'leak')
  server.command('allow', questions[0].id)
  const allowed = await server.ask(`/v1/runs/${leaks.data['run'] as string}/result?wait=30`)
  assert.deepEqual([allowed.data['status'], allowed.data['value']], ['succeeded', 'GREEN'])
  const listed = await connection.call('notes.list', { query: 'tea' })
  assert.equal((listed.value as unknown[]).length, 1)
  await assert.rejects(connection.call('shout', { text: 7 } as never), (error: ToolsmithError) => error.code === 'ARGUMENTS_INVALID')
  const { data } = await server.ask('/v1/tools/shout')
  assert.deepEqual([data['kind'], (data['marks'] as { risk: string }).risk], ['client', 'R3'])
})

test('a port that is lost in the middle of a call fails it, and the tool comes back with the port', async (t) => {
  const server = await serve(t)
  let begun = (): void => undefined
  const began = new Promise<void>((resolve) => (begun = resolve))
  const hang = createClientTool({
    name: 'hang', description: 'Hangs until it is stopped.', parameters: { type: 'object' },
    function: (_, context) => new Promise((_resolve, reject) => {
      context.stopSignal.addEventListener('abort', () => reject(context.stopSignal.reason as Error), { once: true })
      begun()
    }),
  })
  const connection = await open(t, server, { tools: [hang] })
  const running = server.ask('/v1/runs?wait=60', chain(['hang', {}]))
  await began
  await connection.close()
  const came = await running
  assert.deepEqual([came.data['status'], (came.data['error'] as { code: string }).code], ['failed', 'PORT_CLOSED'])

  const quick = createClientTool({ name: 'hang', description: 'Does not hang.', parameters: { type: 'object' }, function: () => 'here' })
  await open(t, server, { tools: [quick] })
  const again = await server.ask('/v1/runs?wait=60', chain(['hang', {}]))
  assert.deepEqual([again.data['status'], again.data['value']], ['succeeded', 'here'])
})

test('a run that is cancelled stops the call, and a program calls the tools of its token alone', async (t) => {
  const server = await serve(t)
  let begun = (): void => undefined
  const began = new Promise<void>((resolve) => (begun = resolve))
  let stopped = (_: ToolsmithError): void => undefined
  const stop = new Promise<ToolsmithError>((resolve) => (stopped = resolve))
  const hang = createClientTool({
    name: 'hang', description: 'Hangs until it is stopped.', parameters: { type: 'object' },
    function: (_, context) => new Promise(() => {
      context.stopSignal.addEventListener('abort', () => stopped(context.stopSignal.reason as ToolsmithError), { once: true })
      begun()
    }),
  })
  await open(t, server, { tools: [hang] })
  const run = (await server.ask('/v1/runs', chain(['hang', {}]))).data['run'] as string
  await began
  server.command('cancel', run)
  assert.ok((await stop) instanceof ToolsmithError)
  assert.equal((await server.ask(`/v1/runs/${run}/result?wait=30`)).data['status'], 'cancelled')

  const token = server.command('tokens', 'add', 'reader', '--tools', 'notes.list').trim()
  const reader = await open(t, server, { name: 'reader', token })
  assert.deepEqual((await reader.call('notes.list', {})).value, [])
  await assert.rejects(reader.call('notes.create', { title: 'x', content: 'y' }), (error: ToolsmithError) => error.code === 'TOOL_UNKNOWN')
})

/** A WebSocket as a page has it: the token goes into the first message. */
const PageSocket = class extends WebSocket {}

test('a token that is refused is told at once, and one that is removed closes the port', async (t) => {
  const server = await serve(t)
  for (const token of ['guess', undefined]) {
    for (const Socket of [undefined, PageSocket]) {
      await assert.rejects(connect(server.url, { name: 'guest', token, WebSocket: Socket, connectTimeout: Infinity }), (error: ToolsmithError) => {
        assert.deepEqual([error.code, /toolsmith tokens add/.test(error.message)], ['HTTP_TOKEN_REFUSED', true])
        return true
      })
    }
  }
  const token = server.command('tokens', 'add', 'editor').trim()
  const connections = [await open(t, server, { token }), await open(t, server, { name: 'page', token, WebSocket: PageSocket })]
  for (const connection of connections) assert.deepEqual((await connection.call('notes.list')).value, [])
  server.command('tokens', 'remove', 'editor')
  for (const connection of connections) {
    await connection.closed
    await assert.rejects(connection.call('notes.list'), { code: 'PORT_CLOSED', message: /The token lets nobody in/ })
  }
  await assert.rejects(open(t, server, { token, connectTimeout: Infinity }), { code: 'HTTP_TOKEN_REFUSED' })
})
