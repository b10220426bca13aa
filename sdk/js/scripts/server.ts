// The server of this repository, built and started over an empty folder, for "npm run generate" and
// the tests.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
let folder: string | undefined
let built: string | undefined
const running = new Set<ChildProcess>()

/** A folder that is gone with this process, and with it the servers that are still running. */
function ownFolder(): string {
  if (folder === undefined) {
    const made = (folder = mkdtempSync(join(tmpdir(), 'toolsmith-')))
    process.on('exit', () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(made, { recursive: true, force: true })
    })
  }
  return folder
}

/** The program: the one that TOOLSMITH names, or else one that is built of this repository, once. */
export function program(): string {
  const named = process.env['TOOLSMITH']
  if (named !== undefined && named !== '') return named
  if (built === undefined) {
    const path = join(ownFolder(), 'toolsmith')
    execFileSync('go', ['build', '-o', path, './cmd/toolsmith'], { cwd: root, env: { ...process.env, GOWORK: 'off' }, stdio: 'inherit' })
    built = path
  }
  return built
}

export interface Answer {
  readonly status: number
  readonly data: { [name: string]: unknown }
}

export interface Server {
  readonly url: string
  /** Of the person. */
  readonly token: string
  /** Runs the command line over the same folder, and gives what it writes. */
  command(...args: string[]): string
  /** Asks over plain HTTP, as the person. With a body it is a POST. */
  ask(path: string, body?: unknown): Promise<Answer>
  /** Kills it. */
  stop(): void
}

/** Starts a server on a free port, over a folder of its own and without settings of this machine. */
export async function startServer(...args: string[]): Promise<Server> {
  const data = mkdtempSync(join(ownFolder(), 'data-'))
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('TOOLSMITH'))
  const env = { ...Object.fromEntries(others), TOOLSMITH_DATA: data, TOOLSMITH_KEYRING: 'off' }
  const child = spawn(program(), ['serve', '--listen', '127.0.0.1:0', ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  running.add(child)
  child.on('exit', () => running.delete(child))
  let said = ''
  child.stderr.on('data', (text) => (said = (said + String(text)).slice(-4000)))
  let ready = false
  for await (const line of createInterface({ input: child.stdout })) {
    ready = line.startsWith('Toolsmith is ready')
    if (ready) break
  }
  if (!ready) throw new Error(`The server did not start: ${said}`)
  const { url, token } = JSON.parse(readFileSync(join(data, 'server.json'), 'utf8')) as { url: string; token: string }
  return {
    url,
    token,
    command: (...args) => execFileSync(program(), args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
    async ask(path, body) {
      const response = await fetch(url + path, {
        headers: { authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      return { status: response.status, data: (await response.json()) as Answer['data'] }
    },
    stop: () => void child.kill('SIGKILL'),
  }
}
