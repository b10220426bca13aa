// Serves this example: node examples/page/serve.mjs [PORT], after npm run build.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = new URL('../..', import.meta.url)
const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8' }

/** Serves the built package and the examples on this machine alone; port 0 takes a free one. */
export async function serve(port) {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname === '/' ? '/examples/page/index.html' : pathname
    const type = types[extname(path)]
    try {
      if (type === undefined || !/^\/(dist|examples)\/[a-z/]+\.[a-z]+$/.test(path)) throw new Error('not served')
      const body = await readFile(fileURLToPath(new URL(`.${path}`, root)))
      // The guest in the sandbox has no origin, so its scripts come from another one.
      response.writeHead(200, { 'content-type': type, 'access-control-allow-origin': '*' }).end(body)
    } catch {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('not found')
    }
  })
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  return server
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const server = await serve(Number(process.argv[2] ?? 8080))
  console.log(`http://127.0.0.1:${server.address().port}/`)
}
