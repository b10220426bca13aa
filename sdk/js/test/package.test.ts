import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { FakeServer } from './fakeserver.ts'

// The package as it is shipped: packed, installed into a project of its own, compiled, run.

const root = fileURLToPath(new URL('..', import.meta.url))
const run = promisify(execFile)
let project: string
let packed: readonly string[]

before(async () => {
  project = await mkdtemp(join(tmpdir(), 'toolsmith-package-'))
  // Without its scripts: they build anew, under the tests that run at the same time.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], { cwd: root })
  const [tarball] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[]
  assert(tarball !== undefined)
  packed = tarball.files.map(({ path }) => path)
  await writeFile(join(project, 'package.json'), '{"name": "consumer", "private": true, "type": "module"}')
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--no-package-lock', `./${tarball.filename}`], { cwd: project })
  await cp(new URL('fixtures/consumer/consumer.ts', import.meta.url), join(project, 'consumer.ts'))
})

after(() => rm(project, { recursive: true }))

test('the package has what it needs and no more', async () => {
  const others = packed.filter((path) => !/^dist\/[a-z]+\.(js|d\.ts)$/.test(path))
  assert.deepEqual(others.sort(), ['LICENSE', 'README.md', 'package.json'])
  const sources = await readdir(join(root, 'src'))
  assert.equal(packed.length - others.length, 2 * sources.length, 'each source once as code and once as types')
  const manifest = JSON.parse(await readFile(join(project, 'node_modules/toolsmith/package.json'), 'utf8')) as { dependencies?: object }
  assert.equal(manifest.dependencies, undefined)
  assert.deepEqual((await readdir(join(project, 'node_modules'))).filter((name) => !name.startsWith('.')), ['toolsmith'])
})

test('no type in the public face is "any"', async () => {
  for (const path of packed.filter((each) => each.endsWith('.d.ts'))) {
    const text = await readFile(join(project, 'node_modules/toolsmith', path), 'utf8')
    const code = text.replace(/\/\*[^]*?\*\//g, '').replace(/\/\/.*/g, '')
    assert(!/\bany\b/.test(code), path)
  }
})

for (const [where, options] of [
  ['a page', { lib: ['ES2022', 'DOM'], types: [], module: 'ESNext', moduleResolution: 'Bundler' }],
  ['Node', { lib: ['ES2022'], types: ['node'], typeRoots: [join(root, 'node_modules/@types')], module: 'NodeNext', moduleResolution: 'NodeNext' }],
] as const) {
  test(`a program for ${where} compiles strictly against it, and runs`, async (t) => {
    const folder = join(project, where.replace(' ', '-'))
    await mkdir(folder)
    const compilerOptions = { ...options, target: 'ES2022', strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false, outDir: folder }
    const config = join(project, `tsconfig.${where.replace(' ', '-')}.json`)
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['consumer.ts'] }))
    const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', config]).catch((error: { stdout: string }) => error)
    assert.equal(stdout, '')

    const server = await FakeServer.start(t)
    const consumer = (await import(pathToFileURL(join(folder, 'consumer.js')).href)) as { run(url: string): Promise<unknown> }
    const outcome = consumer.run(server.url)
    const port = await server.next()
    await port.welcome()
    await port.registered()
    port.send({ type: 'call', id: 'c', tool: 'shout', arguments: { text: 'hi', times: 2 } })
    assert.equal((await port.next('result'))['value'], 'HI!HI!')
    port.send({ type: 'result', id: (await port.next('call'))['id'], value: 'echoed' })
    assert.equal(await outcome, 'echoed')
    assert.equal((await port.closed).code, 1000)
  })
}
