// Writes a note and lists the notes, over HTTP: node examples/notes.ts URL TOKEN
import { createApi, ToolsmithError } from 'toolsmith/api'

const [url = 'http://127.0.0.1:7420', token] = process.argv.slice(2)
const api = createApi({ url, token })

// A call is a run. Where a person is asked first it goes on, and can be waited for under its id.
const { status, data } = await api.post('/v1/tools/notes.create/call', { body: { title: 'Milk', content: 'Two litres.' } })
const run = { path: { run: data.run }, query: { wait: 300 } }
const over = status === 202 ? (await api.get('/v1/runs/{run}/result', run)).data : data
console.log(over.status, over.error?.message ?? '')

const notes = await api.post('/v1/tools/notes.list/call', { body: { query: 'milk' } })
for (const { title, content } of notes.data.value ?? []) console.log(title, '-', content)

try {
  await api.get('/v1/runs/{run}', { path: { run: 'nobody' } })
} catch (error) {
  if (!(error instanceof ToolsmithError)) throw error
  console.log(error.code)
}
