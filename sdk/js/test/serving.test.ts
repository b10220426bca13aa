import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import {
  connect,
  createClientTool,
  message,
  returns,
  ToolsmithError,
  type ClientTool,
  type ConnectOptions,
  type Connection,
  type ContextMethod,
  type ToolContext,
} from 'toolsmith'
import { FakeServer, hello, type FakePort } from './fakeserver.ts'

const fast: ConnectOptions = { name: 'host', backoff: { first: 1, most: 2 }, pingEvery: 0 }

interface Opened {
  readonly server: FakeServer
  readonly port: FakePort
  readonly connection: Connection
}

async function open(t: TestContext, tools: readonly ClientTool[], options: Partial<ConnectOptions> = {}, limits: object = hello.limits): Promise<Opened> {
  const server = await FakeServer.start(t)
  const opening = connect(server.url, { ...fast, tools, ...options })
  const port = await server.next()
  await port.welcome({ ...hello, limits })
  for (const _ of tools) await port.registered()
  const connection = await opening
  t.after(() => connection.close())
  return { server, port, connection }
}

function tool(run: (context: ToolContext, args: { readonly [name: string]: unknown }) => unknown, context: readonly ContextMethod[] = [], more: object = {}): ClientTool {
  return createClientTool({ name: 't', description: 'For a test.', parameters: { type: 'object' }, context, ...more, function: (args, ctx) => run(ctx, args) })
}

const call = { type: 'call', id: 'c', tool: 't', arguments: { n: 1 }, deadline: 30_000 }

/** Waits until a signal is aborted, and gives the reason. */
function stopped(signal: AbortSignal): Promise<ToolsmithError> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason as ToolsmithError), { once: true }))
}

test('what a function returns is the result, and what it throws is the error', async (t) => {
  const results: readonly [returned: () => unknown, sent: object][] = [
    [() => 5, { value: 5 }],
    [() => undefined, { value: null }],
    [async () => await Promise.resolve({ at: new Date(0), no: undefined }), { value: { at: '1970-01-01T00:00:00.000Z' } }],
    [() => { throw new Error('broken') }, { error: { code: 'TOOL_FAILED', message: 'broken' } }],
    [() => { throw new ToolsmithError('NOT_SO', 'Not so.', { field: '$.n', details: [1] }) }, { error: { code: 'NOT_SO', message: 'Not so.', field: '$.n', details: [1] } }],
    [() => { throw new ToolsmithError('NOT_SO', 'Not so.', { details: { f: () => 1 } as never }) }, { error: { code: 'NOT_SO', message: 'Not so.' } }],
    [() => ({ a: [1n] }), { error: { code: 'RESULT_INVALID', message: '$.a[0]: it is a bigint, which JSON cannot hold.', field: '$.a[0]' } }],
  ]
  const { port } = await open(t, [tool((_, { n }) => results[n as number]?.[0]())])
  for (const [n, [, sent]] of results.entries()) {
    port.send({ ...call, arguments: { n } })
    const answer = await port.inbox.next(({ type }) => type === 'result' || type === 'error')
    const { type: _, call: id, ...rest } = answer
    assert.equal(id, 'c')
    assert.deepEqual(rest, sent)
  }
})

test('subtasks are sent as they are written in files', async (t) => {
  const { port } = await open(t, [tool((context) => context.createSubtasksResult([[message('a'), returns('done')], [message('b', 'user')]]))])
  port.send(call)
  const { value, subtasks } = await port.next('result')
  assert.equal(value, undefined)
  assert.deepEqual(subtasks, [
    [
      { role: 'assistant', content: { type: 'message', data: 'a' } },
      { role: 'system', content: { type: 'return', data: 'done' } },
    ],
    [{ role: 'user', content: { type: 'message', data: 'b' } }],
  ])
})

test('a cancelled call is told so, and what it still gives is not sent', async (t) => {
  let seen: Promise<ToolsmithError> | undefined
  const { port } = await open(t, [
    tool(async (context) => {
      seen = stopped(context.stopSignal)
      context.progress(0, 1)
      await seen
      context.progress(1, 1)
      return 'too late'
    }),
  ])
  port.send(call)
  await port.next('progress')
  port.send({ type: 'cancel', call: 'c', reason: 'The run was cancelled.' })
  // A second call, which is answered after the first would have been.
  port.send({ ...call, id: 'd', tool: 'none' })
  await port.next('error')
  const reason = await seen
  assert.deepEqual([reason?.code, reason?.message], ['ABORTED', 'The run was cancelled.'])
  assert.deepEqual(port.all.filter((m) => m['call'] === 'c').map(({ type }) => type), ['progress'])
})

test('at its deadline a call fails, and its function is told', async (t) => {
  let seen: Promise<ToolsmithError> | undefined
  const { port } = await open(t, [tool(async (context) => await (seen = stopped(context.stopSignal)))])
  port.send({ ...call, deadline: 20 })
  const error = await port.next('error')
  assert.deepEqual(error['error'], { code: 'CALL_TIME_EXCEEDED', message: 'The call took longer than 20 ms.' })
  assert.equal((await seen)?.code, 'CALL_TIME_EXCEEDED')
  port.send({ ...call, id: 'd', tool: 'none' })
  await port.next('error')
  assert.equal(port.all.filter((m) => m['call'] === 'c').length, 1, 'the value that came after is not sent')
})

test('when the port drops, calls under way are told, and their results stay here', async (t) => {
  const reasons: Promise<ToolsmithError>[] = []
  const { server, port, connection } = await open(t, [
    tool(async (context) => {
      const reason = stopped(context.stopSignal)
      reasons.push(reason)
      context.progress(0, 1)
      await reason
      await context.getExecutionTaskChain().catch((error: ToolsmithError) => assert.equal(error.code, 'PORT_CLOSED'))
      return 'from before'
    }, ['chain']),
  ])
  port.send({ ...call, taskId: 'task' })
  await port.next('progress')
  port.drop()
  assert.equal((await reasons[0])?.code, 'PORT_CLOSED')
  const again = await server.next()
  await again.welcome()
  await again.registered()
  again.send({ ...call, tool: 'none' })
  await again.next('error')
  assert.deepEqual(again.all.map(({ type }) => type), ['hello', 'register', 'error'])
  again.send({ ...call, id: 'd', taskId: 'task' })
  await again.next('progress')
  connection.close()
  assert.equal((await reasons[1])?.code, 'PORT_CLOSED')
})

test('progress is thinned out, the last of it arrives before the result', async (t) => {
  const { port } = await open(t, [
    tool((context) => {
      for (let i = 0; i <= 1000; i++) context.progress(i, 1000, `step ${i} \uD800`)
      return 'done'
    }),
  ])
  port.send(call)
  await port.next('result')
  const sent = port.all.filter(({ type }) => type === 'progress')
  assert(sent.length < 50, `${sent.length} messages`)
  assert.deepEqual(sent[0], { type: 'progress', call: 'c', done: 0, total: 1000, note: 'step 0 \uFFFD' })
  assert.deepEqual(sent.at(-1), { type: 'progress', call: 'c', done: 1000, total: 1000, note: 'step 1000 \uFFFD' })
  assert.equal(port.all.at(-1)?.type, 'result')
})

test('progress that is no number is a mistake of the tool', async (t) => {
  const { port } = await open(t, [tool((context) => context.progress(Number.NaN, 1))])
  port.send(call)
  assert.equal(((await port.next('error'))['error'] as ToolsmithError).code, 'RESULT_INVALID')
})

test('slow progress comes while the function works', async (t) => {
  let finish = (): void => undefined
  const { port } = await open(t, [
    tool(async (context) => {
      context.progress(1, 3)
      context.progress(2, 3)
      await new Promise<void>((resolve) => (finish = resolve))
    }),
  ])
  port.send(call)
  assert.equal((await port.next('progress'))['done'], 1)
  assert.equal((await port.next('progress'))['done'], 2, 'without anything that would push it')
  finish()
  await port.next('result')
})

const every: readonly ContextMethod[] = ['chain', 'secret', 'setSecret', 'caller', 'ask', 'popup']

test('context methods are asked of the server, with the call that needs them', async (t) => {
  const { port } = await open(t, [
    tool(
      async (context) => ({
        chain: await context.getExecutionTaskChain({ projection: 'flattened', maxTasks: 5 }),
        secret: await context.getSecret('key', true),
        set: await context.setSecret('key', 'value').then(() => 'set'),
        caller: await context.getCallingToolId(),
        answer: await context.interaction({ title: 'Sure?' }),
        popup: await context.popup(new URL('https://example.com/')).then(() => 'opened'),
        ids: [context.toolId, context.taskId, context.runId],
      }),
      every,
    ),
  ])
  port.send({ ...call, taskId: 'task', runId: 'run' })
  const replies: readonly [method: string, args: object, value: unknown][] = [
    ['chain', { projection: 'flattened', maxTasks: 5 }, [{ id: 'a', role: 'user', type: 'message', data: 'hi', branch: 0, depth: 0 }]],
    ['secret', { name: 'key', askNew: true, saveNew: true }, 'top-secret'],
    ['setSecret', { name: 'key', value: 'value' }, null],
    ['caller', {}, 'assistant'],
    ['ask', { title: 'Sure?' }, true],
    ['popup', { url: 'https://example.com/' }, null],
  ]
  for (const [method, args, value] of replies) {
    const asked = await port.next('context')
    assert.deepEqual([asked['call'], asked['method'], asked['arguments']], ['c', method, args])
    port.send({ type: 'context', id: asked['id'], value })
  }
  assert.deepEqual((await port.next('result'))['value'], {
    chain: [{ id: 'a', role: 'user', content: { type: 'message', data: 'hi' }, branch: 0, depth: 0 }],
    secret: 'top-secret',
    set: 'set',
    caller: 'assistant',
    answer: true,
    popup: 'opened',
    ids: ['t', 'task', 'run'],
  })
})

const methods: readonly [name: string, use: (context: ToolContext) => unknown][] = [
  ['getExecutionTaskChain', (context) => context.getExecutionTaskChain()],
  ['getSecret', (context) => context.getSecret('key')],
  ['setSecret', (context) => context.setSecret('key', 'value')],
  ['getCallingToolId', (context) => context.getCallingToolId()],
  ['interaction', (context) => context.interaction({ title: 'Sure?' })],
  ['popup', (context) => context.popup('https://example.com')],
  ['fetch', (context) => context.fetch('https://example.com')],
]
test('what a tool does not declare fails with the name of the method, and nobody is asked', async (t) => {
  const { port } = await open(t, [tool((context, { n }) => methods[n as number]?.[1](context))])
  for (const [n, [name]] of methods.entries()) {
    port.send({ ...call, arguments: { n }, taskId: 'task' })
    const { code, message: text } = (await port.next('error'))['error'] as ToolsmithError
    assert.equal(code, 'CONTEXT_UNAVAILABLE')
    assert(text.startsWith(`${name} is not available`), text)
  }
  assert(!port.all.some(({ type }) => type === 'context'))
})

test('a call without a task has no chain, a caller that is told is not asked for, and the server may say no', async (t) => {
  const { port } = await open(t, [tool(async (context, { n }) => (n === 'caller' ? await context.getCallingToolId() : n === 'chain' ? await context.getExecutionTaskChain() : await context.getSecret('key')), every)])
  port.send({ ...call, arguments: { n: 'chain' } })
  assert.match(((await port.next('error'))['error'] as ToolsmithError).message, /not part of a run/)
  port.send({ ...call, arguments: { n: 'caller' }, caller: 'client "cli"' })
  assert.equal((await port.next('result'))['value'], 'client "cli"')
  port.send({ ...call, arguments: { n: 'secret' } })
  port.send({ type: 'error', id: (await port.next('context'))['id'], error: { code: 'CONTEXT_UNAVAILABLE', message: 'secret: no.' } })
  assert.deepEqual((await port.next('error'))['error'], { code: 'CONTEXT_UNAVAILABLE', message: 'secret: no.' })
  port.send({ ...call, arguments: { n: 'secret' } })
  port.send({ type: 'context', id: (await port.next('context'))['id'], value: null })
  assert.equal(((await port.next('error'))['error'] as ToolsmithError).code, 'SECRET_MISSING')
})

test('a context that is used after the call is over is not there', async (t) => {
  let kept: ToolContext | undefined
  const { port } = await open(t, [tool((context) => void (kept = context), every)])
  port.send({ ...call, taskId: 'task' })
  await port.next('result')
  assert(kept !== undefined)
  await assert.rejects(kept.getExecutionTaskChain(), { code: 'CONTEXT_UNAVAILABLE', message: /the call is over/ })
  kept.progress(1, 1)
  assert(!port.all.some(({ type }) => type === 'context' || type === 'progress'))
})

test('a cancelled call does not wait for its context any more', async (t) => {
  let failed: Promise<unknown> | undefined
  const { port } = await open(t, [tool((context) => (failed = context.getSecret('key')), ['secret'])])
  port.send(call)
  const asked = await port.next('context')
  port.send({ type: 'cancel', call: 'c' })
  port.send({ ...call, id: 'd', tool: 'none' })
  await port.next('error')
  await assert.rejects(failed ?? Promise.resolve(), { code: 'ABORTED' })
  port.send({ type: 'context', id: asked['id'], value: 'late' })
})

test('a host carries out some methods itself', async (t) => {
  const asked: unknown[] = []
  const { port } = await open(t, [tool(async (context) => [await context.interaction({ title: 'Colour?' }), await context.popup('https://example.com/').then(() => 'opened'), context.toolId], ['ask', 'popup'])], {
    context: {
      ask: (form, info) => {
        asked.push(form, info.tool, info.taskId)
        return Promise.resolve('green')
      },
      popup: (url) => {
        asked.push(url)
        return Promise.resolve()
      },
    },
  })
  port.send({ ...call, taskId: 'task' })
  assert.deepEqual((await port.next('result'))['value'], ['green', 'opened', 't'])
  assert.deepEqual(asked, [{ title: 'Colour?' }, 't', 'task', 'https://example.com/'])
})

test('fetch reaches declared hosts and no others, also not by redirect, and ends with the call', async (t) => {
  const web = createServer((request, response) => {
    if (request.url === '/hang') return
    response.writeHead(request.url === '/away' ? 302 : 200, { location: `http://127.0.0.1:${(web.address() as AddressInfo).port}/` }).end('hello')
  })
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    web.closeAllConnections()
    web.close()
  })
  const host = `localhost:${(web.address() as AddressInfo).port}`
  let hanging: Promise<unknown> | undefined
  const { port } = await open(t, [
    tool(
      async (context, { n }) => {
        const reaching = context.fetch(String(n)).then((response) => response.text())
        hanging = reaching
        return await reaching
      },
      [],
      { network: [`http://${host}`] },
    ),
  ])
  port.send({ ...call, arguments: { n: `http://${host}/` } })
  assert.equal((await port.next('result'))['value'], 'hello')
  for (const [url, code] of [
    [`http://${host}/away`, 'TOOL_FAILED'],
    [`https://${host}/`, 'OUTBOUND_HOST_REFUSED'],
    [`http://${host.replace('localhost', '127.0.0.1')}/`, 'OUTBOUND_HOST_REFUSED'],
    ['http://localhost/', 'OUTBOUND_HOST_REFUSED'],
  ]) {
    port.send({ ...call, arguments: { n: url } })
    assert.equal(((await port.next('error'))['error'] as ToolsmithError).code, code, url)
  }
  const requested = new Promise((resolve) => web.once('request', resolve))
  port.send({ ...call, arguments: { n: `http://${host}/hang` } })
  await requested
  port.send({ type: 'cancel', call: 'c' })
  await assert.rejects(hanging ?? Promise.resolve(), { code: 'ABORTED' })
})

test('a secret that is not declared is not asked for', async (t) => {
  const { port } = await open(t, [tool((context, { n }) => (n === 1 ? context.getSecret('other') : context.setSecret('other', 'x')), [], { secrets: ['key'] })])
  for (const n of [1, 2]) {
    port.send({ ...call, arguments: { n } })
    assert.equal(((await port.next('error'))['error'] as ToolsmithError).code, 'SECRET_NOT_DECLARED')
  }
})

test('a result that is too large, a tool that is not there, an id twice, too many calls', async (t) => {
  const { port } = await open(t, [tool((_, { n }) => (n === 'wait' ? new Promise(() => undefined) : 'x'.repeat(3000)))], {}, { messageBytes: 2048, calls: 2 })
  const refused = async (): Promise<string> => ((await port.next('error'))['error'] as ToolsmithError).code
  port.send(call)
  assert.equal(await refused(), 'RESULT_TOO_LARGE')
  port.send({ ...call, tool: 'other' })
  assert.equal(await refused(), 'TOOL_UNKNOWN')
  port.send({ ...call, id: 'w1', arguments: { n: 'wait' } })
  port.send({ ...call, id: 'w1', arguments: { n: 'wait' } })
  assert.equal(await refused(), 'PORT_MESSAGE_INVALID')
  port.send({ ...call, id: 'w2', arguments: { n: 'wait' } })
  port.send({ ...call, id: 'w3' })
  assert.equal(await refused(), 'PORT_BUSY')
  // Functions that ignore that they are cancelled count further, up to twice as many.
  port.send({ type: 'cancel', call: 'w1' })
  port.send({ type: 'cancel', call: 'w2' })
  port.send({ ...call, id: 'w4', arguments: { n: 'wait' } })
  port.send({ ...call, id: 'w5', arguments: { n: 'wait' } })
  port.send({ type: 'cancel', call: 'w4' })
  port.send({ ...call, id: 'w6' })
  assert.equal(await refused(), 'PORT_BUSY')
})
