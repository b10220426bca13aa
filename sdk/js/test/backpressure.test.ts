import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect, createClientTool, type ConnectionEvent } from 'toolsmith'
import type { Channel } from '../src/channel.ts'
import { Outbox } from '../src/outbox.ts'
import { FakeServer, Inbox } from './fakeserver.ts'

/** A channel that takes nothing until it is told to. */
class Slow implements Channel {
  readonly sent = new Inbox<string>()
  waiting = 0
  send(text: string): void {
    this.waiting += text.length
    this.sent.put(text)
  }
  buffered(): number {
    return this.waiting
  }
  close(): void {
    // Nothing to do.
  }
}

test('messages wait here while the other side is slow, in their order, and progress is replaced', async () => {
  const channel = new Slow()
  const outbox = new Outbox(channel, { high: 4, most: 100 }, () => assert.fail('too slow'))
  outbox.send('aaaa', 4)
  outbox.send('p1', 2, 'progress')
  outbox.send('bbbb', 4)
  outbox.send('p2222', 5, 'progress')
  outbox.send('cccc', 4)
  assert.equal(outbox.waiting, 13)
  assert.equal(await channel.sent.next(), 'aaaa')
  channel.waiting = 0
  assert.equal(await channel.sent.next(), 'p2222')
  assert.equal(channel.sent.rest.length, 0, 'and no more than it takes')
  channel.waiting = 0
  assert.equal(await channel.sent.next(), 'bbbb')
  channel.waiting = 0
  assert.equal(await channel.sent.next(), 'cccc')
  assert.equal(outbox.waiting, 0)
  outbox.send('d', 1)
  outbox.stop()
  assert.equal(outbox.waiting, 0)
})

test('with too much waiting, the other side is too slow', () => {
  let slow = 0
  const outbox = new Outbox(new Slow(), { high: 1, most: 10 }, () => slow++)
  outbox.send('x', 1)
  outbox.send('x'.repeat(10), 10)
  assert.equal(slow, 0)
  outbox.send('x', 1)
  assert.equal(slow, 1)
  outbox.stop()
})

test('a server that does not read is left, and nothing is lost where it reads again', async (t) => {
  const server = await FakeServer.start(t)
  const events = new Inbox<ConnectionEvent>()
  const big = createClientTool({ name: 'big', description: 'Gives much.', parameters: { type: 'object' }, function: () => 'x'.repeat(900_000) })
  const opening = connect(server.url, {
    name: 'host',
    backoff: { first: 1, most: 2 },
    pingEvery: 0,
    tools: [big],
    outbox: { high: 1 << 20, most: 24 << 20 },
    onEvent: (event) => events.put(event),
  })
  const port = await server.next()
  await port.welcome()
  await port.registered()
  const connection = await opening
  t.after(() => connection.close())

  port.socket.pause()
  for (let i = 0; i < 20; i++) port.send({ type: 'call', id: `a${i}`, tool: 'big', arguments: {} })
  port.socket.resume()
  for (let i = 0; i < 20; i++) assert.equal((await port.next('result'))['call'], `a${i}`)

  port.socket.pause()
  for (let i = 0; i < 60; i++) port.send({ type: 'call', id: `b${i}`, tool: 'big', arguments: {} })
  const drop = await events.next(({ type }) => type === 'drop')
  assert(drop.type === 'drop' && drop.reason === 'too slow')
  const again = await server.next()
  await again.welcome()
  await again.registered()
  again.send({ type: 'call', id: 'c', tool: 'big', arguments: {} })
  assert.equal((await again.next('result'))['call'], 'c')
})
