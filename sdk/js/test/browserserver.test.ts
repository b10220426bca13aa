// The page of the example in a real browser, and a program in Node, as hosts of a real server: their
// tools are parts of one chain, and a host that dies in the middle of a call fails it.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Server as Files } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { after, before, test, type TestContext } from 'node:test'
import { chromium, type Browser, type BrowserServer, type Page } from 'playwright-core'
import { connect, createClientTool } from 'toolsmith'
import { createApi, type Api, type components } from 'toolsmith/api'
import { startServer, type Server } from '../scripts/server.ts'

const { serve } = (await import(new URL('../examples/page/serve.mjs', import.meta.url).href)) as { serve(port: number): Promise<Files> }

let files: Files
let address: string
let server: Server
let api: Api
let token: string
let executablePath: string
let browser: Browser

before(async () => {
  const found = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium-headless-shell', '/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  assert(found !== undefined, 'There is no Chromium: run scripts/setup-chromium.sh, or name one in CHROMIUM.')
  executablePath = found
  files = await serve(0)
  address = `http://127.0.0.1:${(files.address() as AddressInfo).port}`
  server = await startServer('--origin', address)
  for (const power of ['read', 'write', 'outbound']) server.command('settings', 'set', power, 'allow')
  token = server.command('tokens', 'add', 'page').trim()
  api = createApi({ url: server.url, token: server.token })
  browser = await chromium.launch(options())
})

after(async () => {
  await browser.close()
  server.stop()
  files.closeAllConnections()
  files.close()
})

const options = (): { executablePath: string; args: string[] } => ({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })

/** Opens the page and has it supply its tools. */
async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage()
  await page.goto(address)
  await page.getByLabel('Server').fill(server.url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('Connected.', { exact: true }).waitFor()
  return page
}

/** A tool of this process. */
async function supplyShout(t: TestContext): Promise<void> {
  const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } as const
  const shout = createClientTool({ name: 'shout', description: 'Says it loudly.', parameters, function: ({ text }) => text.toUpperCase() })
  const connection = await connect(server.url, { name: 'shouter', token: server.token, tools: [shout] })
  t.after(() => connection.close())
}

type Ran = components['schemas']['CallAnswer']

/** Runs a chain of calls, each with what the one before it gave under the name that is given. */
async function run(...calls: readonly (readonly [tool: string, args: object])[]): Promise<Ran> {
  const body = calls.map(([name, args]) => ({ role: 'tool', content: { type: 'tool', data: { name, arguments: args } } }))
  return (await api.post('/v1/runs', { query: { wait: 120 }, body })).data
}

const previous = { $ref: '$previous' }
const paint = (): Promise<Ran> => run(['shout', { text: 'for the wall?' }], ['pick_colour', { question: previous }], ['shout', { text: previous }])

async function versionOf(tool: string): Promise<string> {
  return (await api.get('/v1/tools/{tool}', { path: { tool } })).data.version
}

async function pick(page: Page, running: Promise<Ran>): Promise<void> {
  await page.getByText('FOR THE WALL?').waitFor()
  await page.getByLabel('Colour').fill('#00ff7f')
  await page.getByRole('button', { name: 'Pick' }).click()
  const { status, value } = await running
  assert.deepEqual([status, value], ['succeeded', '#00FF7F'])
}

function assertLost({ status, error }: Ran): void {
  assert.deepEqual([status, error?.code], ['failed', 'PORT_CLOSED'])
  assert.match(error?.message ?? '', /was disconnected during the call/)
}

test('a chain goes through tools in Node, in a page, and in its guests', async (t) => {
  await supplyShout(t)
  const page = await openPage(browser)
  t.after(() => page.close())
  await pick(page, paint())

  await page.frameLocator('#guest').getByText('Connected through the page.').waitFor()
  const counted = await run(['shout', { text: 'one two three' }], ['count_words', { text: previous }])
  assert.equal(counted.value, 3)
})

const deaths: { readonly [how: string]: (page: Page, browser: BrowserServer) => Promise<unknown> } = {
  'is closed': (page) => page.close(),
  'goes to another address': (page) => page.goto('about:blank'),
  'is closed with its context': (page) => page.context().close(),
  'dies with its browser': (_, browser) => browser.kill(),
}

for (const [how, die] of Object.entries(deaths)) {
  test(`a page that ${how} in the middle of a call fails it, and another one takes its place`, async (t) => {
    await supplyShout(t)
    const other = await chromium.launchServer(options())
    t.after(() => other.kill())
    const page = await openPage(await chromium.connect(other.wsEndpoint()))
    const version = await versionOf('pick_colour')
    const running = paint()
    await page.getByText('FOR THE WALL?').waitFor()
    await die(page, other)
    assertLost(await running)

    const again = await openPage(browser)
    t.after(() => again.close())
    assert.equal(await versionOf('pick_colour'), version)
    await pick(again, paint())
  })
}

const program = `
  import { connect, createClientTool } from 'toolsmith'
  const [url, token, what] = process.argv.slice(1)
  const hold = createClientTool({
    name: 'hold', description: 'Holds a text.', parameters: { type: 'object', properties: { text: { type: 'string' } } },
    function: ({ text }) => (what === 'hang' ? new Promise(() => console.log('called')) : 'held ' + text),
  })
  await connect(url, { name: 'holder', token, tools: [hold] })
  console.log('ready')`

/** A process that supplies "hold". */
async function startHolder(t: TestContext, what: 'hang' | 'answer'): Promise<{ child: ChildProcess; says(line: string): Promise<void> }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, server.url, server.token, what], {
    cwd: new URL('..', import.meta.url),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const says = async (line: string): Promise<void> => assert.equal((await lines.next()).value, line)
  await says('ready')
  return { child, says }
}

test('a process that is killed in the middle of a call fails it, and another one takes its place', async (t) => {
  await supplyShout(t)
  const held = (): Promise<Ran> => run(['shout', { text: 'it' }], ['hold', { text: previous }])
  const first = await startHolder(t, 'hang')
  const version = await versionOf('hold')
  const running = held()
  await first.says('called')
  const ended = once(first.child, 'exit')
  first.child.kill('SIGKILL')
  assert.deepEqual(await ended, [null, 'SIGKILL'])
  assertLost(await running)

  await startHolder(t, 'answer')
  assert.equal(await versionOf('hold'), version)
  const { status, value } = await held()
  assert.deepEqual([status, value], ['succeeded', 'held IT'])
})

test('a page of another origin, or with a token that was removed, supplies nothing', async (t) => {
  const others = await serve(0)
  t.after(() => {
    others.closeAllConnections()
    others.close()
  })
  const page = await browser.newPage()
  t.after(() => page.close())
  const refused = page.waitForEvent('websocket').then((socket) => socket.waitForEvent('socketerror'))
  await page.goto(`http://127.0.0.1:${(others.address() as AddressInfo).port}`)
  await page.getByLabel('Server').fill(server.url)
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Connect' }).click()
  assert.match(await refused, /403/)

  const guest = server.command('tokens', 'add', 'guest').trim()
  await page.goto(address)
  await page.getByLabel('Server').fill(server.url)
  await page.getByLabel('Token').fill(guest)
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('Connected.', { exact: true }).waitFor()
  server.command('tokens', 'remove', 'guest')
  await page.getByText('Closed.', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Connect' }).click()
  await page.getByText('The token lets nobody in').waitFor()
  const { data } = await api.get('/v1/tools', { query: { limit: 500 } })
  assert.deepEqual(data.tools.filter(({ kind }) => kind === 'client'), [])
})

test('a page that the server lets in asks it over HTTP, and hears why it is refused', async (t) => {
  const page = await browser.newPage()
  t.after(() => page.close())
  await page.goto(address)
  const ask = (token: string): Promise<unknown> => page.evaluate(async ([url, token, module]) => {
    const { createApi } = (await import(module)) as typeof import('toolsmith/api')
    const api = createApi({ url, token })
    try {
      const made = await api.post('/v1/tools/{tool}/call', { path: { tool: 'notes.create' }, body: { title: 'From a page', content: 'x' } })
      return [made.status, made.data.status]
    } catch (error) {
      return (error as { code: string }).code
    }
  }, [server.url, token, `${address}/dist/api.js`] as const)
  assert.deepEqual(await ask(token), [200, 'succeeded'])
  assert.equal(await ask('guess'), 'HTTP_TOKEN_REFUSED')
})
