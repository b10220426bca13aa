import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test, type TestContext } from 'node:test'
import { chromium, type Browser, type Page } from 'playwright-core'
import type * as Sdk from 'toolsmith'
import { FakeServer, type FakePort } from './fakeserver.ts'

// The page of the example, in a real browser, against the strict server.

const { serve } = (await import(new URL('../examples/page/serve.mjs', import.meta.url).href)) as { serve(port: number): Promise<Server> }

let browser: Browser
let files: Server
let address: string

before(async () => {
  const found = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  assert(found !== undefined, 'There is no Chromium: run scripts/setup-chromium.sh, or name one in CHROMIUM.')
  files = await serve(0)
  address = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  browser = await chromium.launch({ executablePath: found, args: ['--no-sandbox', '--disable-gpu'] })
})

after(async () => {
  await browser.close()
  files.closeAllConnections()
  files.close()
})

async function openPage(t: TestContext): Promise<Page> {
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  t.after(async () => {
    await page.close()
    assert.deepEqual(problems, [])
  })
  await page.goto(address)
  return page
}

async function connected(t: TestContext): Promise<{ page: Page; port: FakePort; server: FakeServer }> {
  const server = await FakeServer.start(t)
  const page = await openPage(t)
  await page.getByLabel('Server').fill(server.url)
  await page.getByLabel('Token').fill('secret-token')
  await page.getByRole('button', { name: 'Connect' }).click()
  const port = await server.next()
  assert.equal(port.headers.origin, address)
  assert.deepEqual(await port.welcome(), { type: 'hello', protocol: 1, name: 'example-page', token: 'secret-token' })
  assert.equal((await port.registered()).tool.name, 'pick_colour')
  await page.getByText('Connected.', { exact: true }).waitFor()
  return { page, port, server }
}

const pick = { type: 'call', id: 'c1', tool: 'pick_colour', arguments: { question: 'For <b>the wall</b>?' }, deadline: 60_000 }

test('a page supplies a tool that asks the person before it', async (t) => {
  const { page, port } = await connected(t)
  port.send(pick)
  await page.getByText('For <b>the wall</b>?').waitFor()
  await page.getByLabel('Colour').fill('#00ff7f')
  await page.getByRole('button', { name: 'Pick' }).click()
  assert.equal((await port.next('result'))['value'], '#00ff7f')

  port.send({ ...pick, id: 'c2' })
  await page.getByRole('button', { name: 'Rather not' }).click()
  assert.equal(((await port.next('error'))['error'] as { code: string }).code, 'PERSON_DECLINED')

  port.send({ ...pick, id: 'c3' })
  await page.getByRole('dialog').waitFor()
  port.send({ type: 'cancel', call: 'c3' })
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  port.send({ ...pick, id: 'c4', deadline: 100 })
  assert.equal(((await port.next('error'))['error'] as { code: string }).code, 'CALL_TIME_EXCEEDED')
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  assert(!port.all.some(({ call }) => call === 'c3'), 'nothing is sent for a call that was cancelled')
})

test('a guest in a sandboxed iframe and one in a worker supply tools through the page', async (t) => {
  const { page, port } = await connected(t)
  const names = [(await port.registered()).tool.name, (await port.registered()).tool.name]
  assert.deepEqual(names.sort(), ['count_words', 'sum'])
  await page.frameLocator('#guest').getByText('Connected through the page.').waitFor()
  port.send({ type: 'call', id: 'a', tool: 'count_words', arguments: { text: 'one two  three' } })
  assert.equal((await port.next('result'))['value'], 3)
  port.send({ type: 'call', id: 'b', tool: 'sum', arguments: { numbers: [1, 2, 3.5] } })
  assert.deepEqual(await port.next('progress'), { type: 'progress', call: 'b', done: 3, total: 3 })
  assert.equal((await port.next('result'))['value'], 6.5)
})

test('a page whose server is gone for a moment comes back with its tools and those of its guests', async (t) => {
  const { page, port, server } = await connected(t)
  await port.registered()
  await port.registered()
  port.drop()
  const again = await server.next()
  assert.equal((await again.welcome())['token'], 'secret-token')
  const names = [(await again.registered()).tool.name, (await again.registered()).tool.name, (await again.registered()).tool.name]
  assert.deepEqual(names.sort(), ['count_words', 'pick_colour', 'sum'])
  again.send({ type: 'call', id: 'a', tool: 'count_words', arguments: { text: 'still here' } })
  assert.equal((await again.next('result'))['value'], 2)
  const left = again.closed
  await page.goto('about:blank')
  await left
})

test('a page closes a port that sends what is no message, with a code that browsers allow', async (t) => {
  const { port, server } = await connected(t)
  port.sendRaw('[]')
  assert.equal((await port.closed).code, 4007)
  await (await server.next()).welcome()
})

test('a page calls tools of the server', async (t) => {
  const server = await FakeServer.start(t)
  const page = await openPage(t)
  const outcome = page.evaluate(async (url) => {
    const path = '/dist/index.js'
    const { connect } = (await import(path)) as typeof Sdk
    const connection = await connect(url, { name: 'page' })
    const progress: number[] = []
    const first = await connection.call('notes.list', { q: 'ä€😀' }, { onProgress: ({ done }) => progress.push(done) })
    const controller = new AbortController()
    const second = connection.call('slow', {}, { signal: controller.signal }).catch((error: Sdk.ToolsmithError) => error.code)
    controller.abort()
    const code = await second
    connection.close()
    await connection.closed
    return { first, progress, code }
  }, server.url)
  const port = await server.next()
  await port.welcome()
  const call = await port.next('call')
  assert.deepEqual(call['arguments'], { q: 'ä€😀' })
  port.send({ type: 'progress', id: call['id'], done: 1, total: 2 })
  port.send({ type: 'result', id: call['id'], value: ['a'], runId: 'r' })
  await port.next('cancel')
  assert.deepEqual(await outcome, { first: { value: ['a'], runId: 'r' }, progress: [1], code: 'ABORTED' })
  assert.equal((await port.closed).code, 1000)
})

test('a port is taken only from the window and the origin that are meant, whoever comes first', async (t) => {
  const page = await openPage(t)
  const seen = await page.evaluate(async () => {
    const path = '/dist/index.js'
    const { acceptPort, requestPort } = (await import(path)) as typeof Sdk
    const guest = `<script type="module">
      import { requestPort } from '${location.origin}/dist/index.js'
      requestPort({ origin: '${location.origin}' }).then((port) => port.postMessage('mine'))
    </script>`
    const offered = (from: () => unknown): Promise<void> =>
      new Promise((resolve) => addEventListener('message', (event) => (event.source === from() ? resolve() : undefined)))
    const add = (sandbox: boolean): HTMLIFrameElement => {
      const frame = document.createElement('iframe')
      if (sandbox) frame.setAttribute('sandbox', 'allow-scripts')
      frame.srcdoc = guest
      document.body.append(frame)
      return frame
    }
    const tell = (taking: Promise<Sdk.PortLike>): Promise<string> => taking.then(() => 'taken', (error: Sdk.ToolsmithError) => error.code)
    const outcomes: string[] = []

    // The guest offers before anybody asks: it offers again when it is asked.
    const early: HTMLIFrameElement = add(true)
    await offered(() => early.contentWindow)
    const port = await acceptPort(early.contentWindow as Window, { origin: 'null' })
    outcomes.push(await new Promise<string>((resolve) => {
      port.addEventListener('message', (event) => resolve((event as MessageEvent<string>).data))
      port.start?.()
    }))

    // It has another origin than the page expects, or another window.
    for (const [sandbox, origin] of [[true, location.origin], [false, 'null'], [false, 'https://guest.example']] as const) {
      const frame = add(sandbox)
      const stop = new AbortController()
      const taking = tell(acceptPort(frame.contentWindow as Window, { origin, signal: stop.signal }))
      await offered(() => frame.contentWindow)
      stop.abort()
      outcomes.push(await taking)
    }
    const wanted = add(true)
    const stop = new AbortController()
    const taking = tell(acceptPort(wanted.contentWindow as Window, { origin: 'null', signal: stop.signal }))
    wanted.remove()
    const other: HTMLIFrameElement = add(true)
    await offered(() => other.contentWindow)
    stop.abort()
    outcomes.push(await taking)
    outcomes.push(await tell(acceptPort(window, { origin: 'null', signal: AbortSignal.abort() })))

    // A guest does not take a port from a page that it does not expect.
    const leave = new AbortController()
    const asking = tell(requestPort({ origin: 'https://page.example', page: window, signal: leave.signal }))
    leave.abort()
    outcomes.push(await asking)
    for (const origin of ['*', 'https://x/', '']) {
      try {
        void acceptPort(window, { origin })
      } catch (error) {
        outcomes.push((error as Sdk.ToolsmithError).code)
      }
    }
    return outcomes
  })
  assert.deepEqual(seen, ['mine', 'ABORTED', 'ABORTED', 'ABORTED', 'ABORTED', 'ABORTED', 'ABORTED', 'ORIGIN_INVALID', 'ORIGIN_INVALID', 'ORIGIN_INVALID'])
})
