import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createApi, type ToolsmithError } from 'toolsmith/api'
import type { paths } from './fixtures/paths.ts'

async function serve(t: TestContext, answer: (request: IncomingMessage, response: ServerResponse, body: string) => void): Promise<string> {
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('operations are called by their paths, and typed by the document', async (t) => {
  const seen: unknown[] = []
  const url = await serve(t, (request, response, body) => {
    seen.push([request.method, request.url, request.headers.authorization, request.headers['content-type'], body])
    if (request.method === 'DELETE') response.writeHead(204).end()
    else if (request.method === 'POST') response.writeHead(202, { 'content-type': 'application/json; charset=utf-8' }).end('{"id":"r2","status":"running"}')
    else if (request.url === '/base/v1/runs') response.writeHead(200, { 'content-type': 'application/json', etag: '"x"' }).end('{"runs":[]}')
    else response.writeHead(200, { 'content-type': 'application/json', etag: '"x"' }).end('{"id":"r1","status":"failed"}')
  })
  const api = createApi<paths>({ url: `${url}/base/`, token: 'secret-token' })
  const { data, status, headers } = await api.get('/v1/runs/{id}', { path: { id: 'a/b ?#%' } })
  const kind: 'running' | 'succeeded' | 'failed' = data.status
  assert.deepEqual([data.id, kind, status, headers.get('etag')], ['r1', 'failed', 200, '"x"'])
  const list = await api.get('/v1/runs')
  assert.deepEqual(list.data.runs, [])
  await api.get('/v1/runs', { query: { cursor: 'c&d', status: ['failed', 'running'] } })
  const called = await api.post('/v1/tools/{name}/call', { path: { name: 'notes.list' }, body: { arguments: { q: 'milk' } } })
  assert.equal(called.data.id, 'r2')
  const cancelled = await api.delete('/v1/runs/{id}', { path: { id: 'r2' } })
  assert.deepEqual([cancelled.data, cancelled.status], [undefined, 204])
  const bearer = 'Bearer secret-token'
  assert.deepEqual(seen, [
    ['GET', '/base/v1/runs/a%2Fb%20%3F%23%25', bearer, undefined, ''],
    ['GET', '/base/v1/runs', bearer, undefined, ''],
    ['GET', '/base/v1/runs?cursor=c%26d&status=failed&status=running', bearer, undefined, ''],
    ['POST', '/base/v1/tools/notes.list/call', bearer, 'application/json', '{"arguments":{"q":"milk"}}'],
    ['DELETE', '/base/v1/runs/r2', bearer, undefined, ''],
  ])
  // What follows does not compile, and so is not run.
  const never = (): void => {
    // @ts-expect-error there is no such path
    void api.get('/v1/nothing')
    // @ts-expect-error the path has no such method
    void api.delete('/v1/runs')
    // @ts-expect-error the path needs an id
    void api.get('/v1/runs/{id}')
    // @ts-expect-error a status is one of three
    void api.get('/v1/runs', { query: { status: ['lost'] } })
    // @ts-expect-error the body needs arguments
    void api.post('/v1/tools/{name}/call', { path: { name: 'x' }, body: {} })
  }
  assert.equal(typeof never, 'function')
})

test('problems are errors with the code of the server', async (t) => {
  const url = await serve(t, (request, response) => {
    switch (request.url) {
      case '/v1/runs/coded':
        return response.writeHead(404, { 'content-type': 'application/problem+json' }).end('{"code":"RUN_NOT_FOUND","title":"Not found","detail":"No run begins with \\"coded\\".","field":"$.id","runId":"r"}')
      case '/v1/runs/plain':
        return response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
      case '/v1/runs/broken':
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":')
      case '/v1/runs/away':
        return response.writeHead(307, { location: '/v1/runs/other' }).end()
      case '/v1/runs/other':
        return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
      default:
        return undefined
    }
  })
  const api = createApi<paths>({ url })
  const get = (id: string, signal?: AbortSignal) => api.get('/v1/runs/{id}', { path: { id }, signal })
  await assert.rejects(get('coded'), (error: ToolsmithError) => {
    assert.deepEqual([error.code, error.message, error.field, error.runId], ['RUN_NOT_FOUND', 'No run begins with "coded".', '$.id', 'r'])
    return true
  })
  await assert.rejects(get('plain'), { code: 'HTTP_502', message: 'The server answered 502 Bad Gateway.' })
  await assert.rejects(get('broken'), { code: 'API_RESPONSE_INVALID' })
  await assert.rejects(get('away'), { code: 'API_UNREACHABLE' })
  await assert.rejects(get('hang', AbortSignal.timeout(20)), { code: 'ABORTED' })
  await assert.rejects(createApi<paths>({ url: 'http://127.0.0.1:1' }).get('/v1/runs'), { code: 'API_UNREACHABLE' })
  for (const id of ['', '.', '..']) await assert.rejects(get(id), { code: 'ARGUMENTS_INVALID', field: '$.path.id' })
  await assert.rejects(api.post('/v1/tools/{name}/call', { path: { name: 'x' }, body: { arguments: { a: 1n } } }), { code: 'ARGUMENTS_INVALID', field: '$.body.arguments.a' })
})

test('another fetch can be used', async () => {
  const asked: string[] = []
  const api = createApi<paths>({
    url: 'https://tools.example',
    fetch: (url) => {
      asked.push(String(url))
      return Promise.resolve(new Response('{"runs":[]}', { headers: { 'content-type': 'application/json' } }))
    },
  })
  assert.deepEqual((await api.get('/v1/runs')).data, { runs: [] })
  assert.deepEqual(asked, ['https://tools.example/v1/runs'])
})

test('types are generated from a document, and the check finds old ones', async (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const folder = await mkdtemp(join(tmpdir(), 'toolsmith-generate-'))
  t.after(() => rm(folder, { recursive: true }))
  const generate = (...args: string[]): Promise<{ code: number; stderr: string }> =>
    promisify(execFile)(process.execPath, ['scripts/generate.mjs', ...args], { cwd: root }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    )
  const document = 'test/fixtures/openapi.json'
  assert.equal((await generate('--check', document, 'test/fixtures/paths.ts')).code, 0, 'the committed types are those of the fixture')
  const out = join(folder, 'paths.ts')
  assert.equal((await generate(document, out)).code, 0)
  assert.equal(await readFile(out, 'utf8'), await readFile(join(root, 'test/fixtures/paths.ts'), 'utf8'))
  await writeFile(out, 'old')
  const old = await generate('--check', document, out)
  assert.equal(old.code, 1)
  assert.match(old.stderr, /npm run generate/)
  await writeFile(out, '{}')
  const none = await generate(out)
  assert.equal(none.code, 1)
  assert.match(none.stderr, /no OpenAPI 3 document/)
  assert.equal((await generate('a', 'b', 'c')).code, 2)
  assert.equal((await generate('--check')).code, 0, 'without a document it is that of the server')
})
