// The client of the committed types against the real server: every operation of its document is called.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { connect, createClientTool, type Connection } from 'toolsmith'
import { createApi, type Api, type ApiResult, type components, type operations, type paths } from 'toolsmith/api'
import { startServer, type Server } from '../scripts/server.ts'

const { typesOf } = (await import(new URL('../scripts/generate.mjs', import.meta.url).href)) as { typesOf(document: unknown): Promise<string> }

/** What the entries call, and what they need for it. */
interface Scene {
  readonly api: Api
  note(): Promise<Note>
  task(): Promise<Task>
  memory(): Promise<Memory>
  /** The id of a run that is over. */
  run(): Promise<string>
  /** The id of a run that goes on until it is cancelled. */
  hanging(): Promise<string>
  /** The name of an installed tool that is on, in its second version, which has the steps "look" and "keep". */
  tool(): Promise<string>
  /** The id of a run of such a tool, which is over. */
  kept(): Promise<string>
  /** A question that waits for an answer, about the tool "shout". */
  question(): Promise<components['schemas']['Question']>
  /** Calls a tool that is asked about, answers with yes, and gives what it came to. */
  allowed<T extends Answer>(calling: Promise<ApiResult<T>>): Promise<ApiResult<T>>
  /** Is done after the operation was looked at. */
  undo(what: () => Promise<unknown>): void
}

type Answer = components['schemas']['CallAnswer']
type Value<Id extends keyof operations> = operations[Id] extends { responses: { 200: { content: { 'application/json': { value?: infer V } } } } } ? NonNullable<V> : never
type Note = Value<'call_notes_create'>
type Task = Value<'call_tasks_create'>
type Memory = Value<'call_memory_create'>

/** A part of an answer: what it does not have is not looked at, and lists are as long as they are. */
type Part<T> = T extends string ? T | RegExp : T extends readonly (infer E)[] ? readonly Part<E>[] : T extends object ? { readonly [K in keyof T]?: Part<T[K]> } : T

interface Entry {
  run(scene: Scene): Promise<void>
}

/** An operation comes to a status, and to an answer with a part or of which something is true. */
function is<T>(status: number, call: (scene: Scene) => Promise<ApiResult<T>>, what: NoInfer<Part<T> | ((data: T) => boolean)>): Entry {
  return {
    async run(scene) {
      const came = await call(scene)
      assert.equal(came.status, status)
      if (typeof what === 'function') assert((what as (data: T) => boolean)(came.data), JSON.stringify(came.data))
      else assertPart(came.data, what, JSON.stringify(came.data))
    },
  }
}

function assertPart(value: unknown, part: unknown, path: string): void {
  if (part instanceof RegExp) assert.match(String(value), part, path)
  else if (typeof part !== 'object' || part === null) assert.deepEqual(value, part, path)
  else {
    assert(typeof value === 'object' && value !== null, path)
    if (Array.isArray(part)) assert.equal((value as unknown[]).length, part.length, `${path}: ${JSON.stringify(value)}`)
    for (const [name, one] of Object.entries(part)) assertPart((value as { [name: string]: unknown })[name], one, `${path}.${name}`)
  }
}

const call = (name: string, args: object): object => ({ role: 'tool', content: { type: 'tool', data: { name, arguments: args } } })
/** A tool in code. */
const whisper = `import { createTool } from 'toolsmith'
createTool({ name: 'whisper', description: 'Says it softly.', parameters: { type: 'object' }, calls: ['notes.list'], function(): string { return 'hi' } })`
const shouted = { settled: true, status: 'succeeded', value: 'HI' } as const

// One line for each operation: what is called, and what it comes to.
const table = {
  health: is(200, ({ api }) => api.get('/healthz'), { ok: true }),
  ready: is(200, ({ api }) => api.get('/readyz'), { ok: true }),
  peer: is(200, ({ api }) => api.get('/v1/peer'), { name: 'toolsmith', person: true, revision: /^[0-9a-f]{64}$/ }),

  listTools: is(200, ({ api }) => api.get('/v1/tools', { query: { limit: 1, cursor: '1' } }), { tools: [{ version: /^[0-9a-f]{64}$/ }], next: '2' }),
  getTool: is(200, ({ api }) => api.get('/v1/tools/{tool}', { path: { tool: 'shout' } }), { kind: 'client', marks: { powers: ['outbound', 'read', 'write'] } }),
  callTool: is(200, ({ api }) => api.post('/v1/tools/{tool}/call', { path: { tool: 'shout' }, body: { text: 'hi' } }), shouted),

  beginRun: is(200, ({ api }) => api.post('/v1/runs', { query: { wait: 30 }, body: [call('shout', { text: 'h' }), call('shout', { text: { $ref: '$previous' } })] }), { status: 'succeeded', value: 'H' }),
  listRuns: is(200, async (s) => { await s.run(); return s.api.get('/v1/runs', { query: { limit: 1 } }) }, { runs: [{ status: 'succeeded', tool: 'shout' }], next: /./ }),
  getRun: is(200, async (s) => s.api.get('/v1/runs/{run}', { path: { run: await s.run() } }), { status: 'succeeded', tasks: 2, settledAt: /Z$/ }),
  listTasks: is(200, async (s) => s.api.get('/v1/runs/{run}/tasks', { path: { run: await s.run() } }), { tasks: [{ type: 'tool', name: 'shout', state: 'done' }, { type: 'toolresult' }] }),
  getTask: is(200, async (s) => s.api.get('/v1/runs/{run}/tasks/{task}', { path: { run: await s.kept(), task: 'keep' } }), { step: 'keep', depth: 1, attempts: 1, arguments: { content: 'tea' }, result: { title: 'A thought' } }),
  getChain: is(200, async (s) => s.api.get('/v1/runs/{run}/tasks/{task}/chain', { path: { run: await s.kept(), task: 'keep' } }), { tasks: [{ step: 'look' }, { step: 'keep' }] }),
  listChildren: is(200, async (s) => s.api.get('/v1/runs/{run}/tasks/{task}/children', { path: { run: await s.kept(), task: 'keep' } }), { chains: [[{ type: 'toolresult', data: { title: 'A thought' } }]] }),
  waitRun: is(202, async (s) => s.api.get('/v1/runs/{run}/result', { path: { run: await s.hanging() }, query: { wait: 0 } }), { settled: false }),
  cancelRun: is(200, async (s) => { const path = { run: await s.hanging() }; await s.api.post('/v1/runs/{run}/cancel', { path }); return s.api.get('/v1/runs/{run}/result', { path }) }, { status: 'cancelled' }),
  resumeRun: is(200, async (s) => s.api.post('/v1/runs/{run}/resume', { path: { run: await s.hanging() } }), { tool: 'hang', status: 'running' }),
  runAgain: is(200, async (s) => { const came = await s.api.post('/v1/runs/{run}/again', { path: { run: await s.kept() }, body: { from: 'keep' } }); await s.api.get('/v1/runs/{run}/result', { path: { run: given(came.data.run).id } }); return came }, { reused: 1, effects: [{ name: 'notes.create', step: 'keep', arguments: { content: 'tea' } }], run: { tool: /^dynamic:keep/ } }),
  search: is(200, async (s) => s.api.get('/v1/search', { query: { q: (await s.note()).title, limit: 1 } }), { hits: [{ kind: 'note', excerpt: 'of a note' }] }),

  listConsents: is(200, async (s) => { await s.question(); return s.api.get('/v1/consents') }, { consents: [{ tool: 'shout', state: 'open', reason: 'setting' }] }),
  getConsent: is(200, async (s) => s.api.get('/v1/consents/{question}', { path: { question: (await s.question()).id } }), { samples: [{ text: 'hi' }] }),
  answerConsent: is(200, async (s) => s.api.post('/v1/consents/{question}/answer', { path: { question: (await s.question()).id }, body: { allow: false, reason: 'Not now.' } }), { state: 'answered', answer: { allow: false, reason: 'Not now.' } }),

  listGrants: is(200, async (s) => { await grant(s); return s.api.get('/v1/grants', { query: { limit: 1 } }) }, { grants: [{ tool: 'shout' }] }),
  revokeGrant: is(200, async (s) => s.api.delete('/v1/grants/{grant}', { path: { grant: await grant(s) } }), { tool: 'shout', revokedAt: /Z$/ }),
  getSettings: is(200, ({ api }) => api.get('/v1/settings'), { powers: { read: 'allow', write: 'allow', outbound: 'allow' }, stopped: false }),
  putSetting: is(200, ({ api }) => api.put('/v1/settings/{kind}/{name}', { path: { kind: 'tool', name: 'list' }, body: { permission: 'deny' } }), { tools: { list: 'deny' } }),
  deleteSetting: is(200, ({ api }) => api.delete('/v1/settings/{kind}/{name}', { path: { kind: 'tool', name: 'list' } }), ({ tools }) => !('list' in tools)),
  stop: is(200, (s) => { s.undo(() => s.api.post('/v1/start')); return s.api.post('/v1/stop') }, { stopped: true }),
  start: is(200, async (s) => { await s.api.post('/v1/stop'); return s.api.post('/v1/start') }, { stopped: false }),

  checkTool: is(200, ({ api }) => api.post('/v1/forge/check', { body: { file: 'whisper.ts', text: whisper } }), { ok: true, diagnostics: [], tool: { version: 0 }, tools: [{ kind: 'code', name: 'whisper', file: 'whisper.ts', calls: ['notes.list'], powers: ['read'] }] }),
  tryTool: is(200, ({ api }) => api.post('/v1/forge/try', { body: { text: manifest('keep', 2), input: { thought: 'tea' } } }), { status: 'succeeded', output: { note: 'A thought' }, trace: [{ step: 'look', ok: true }, { step: 'keep' }, { step: 'done' }], writes: [{ capability: 'notes.create' }], created: [{ kind: 'note' }] }),
  listCapabilities: is(200, ({ api }) => api.get('/v1/forge/capabilities', { query: { limit: 1 } }), { capabilities: [{ name: 'http.get', power: 'outbound', risk: 'R4', untrusted: true }], next: '1' }),
  installTool: is(200, async (s) => { const tool = await s.tool(); return s.api.post('/v1/forge/tools', { body: { text: manifest(tool.replace('dynamic:', ''), 3) } }) }, { installed: true, tool: { enabled: false, version: 3 }, diff: { fromVersion: 2, stepsAdded: [], grows: false } }),
  listInstalled: is(200, async (s) => { await s.tool(); return s.api.get('/v1/forge/tools', { query: { limit: 1 } }) }, { tools: [{ version: 2, enabled: true, broken: false, powers: ['read', 'write'] }] }),
  getInstalled: is(200, async (s) => s.api.get('/v1/forge/tools/{tool}', { path: { tool: await s.tool() } }), { versions: [2, 1], steps: [{ capability: 'notes.list' }, { capability: 'notes.create' }, { type: 'return' }], inputSchema: { required: ['thought'] } }),
  enableTool: is(200, async (s) => { const path = { tool: await s.tool() }; await s.api.post('/v1/forge/tools/{tool}/disable', { path }); return s.api.post('/v1/forge/tools/{tool}/enable', { path }) }, { tool: { enabled: true }, changed: true }),
  disableTool: is(200, async (s) => s.api.post('/v1/forge/tools/{tool}/disable', { path: { tool: await s.tool() } }), { tool: { enabled: false }, changed: true }),
  rollbackTool: is(200, async (s) => s.api.post('/v1/forge/tools/{tool}/rollback', { path: { tool: await s.tool() }, body: { to: 1 } }), { tool: { version: 1, enabled: false }, from: 2 }),
  removeTool: is(200, async (s) => s.api.delete('/v1/forge/tools/{tool}', { path: { tool: await s.tool() } }), { removed: { id: /^keep/, name: /^dynamic:keep/, version: 2 } }),
  exportTool: is(200, async (s) => s.api.get('/v1/forge/tools/{tool}/export', { path: { tool: await s.tool() }, query: { version: 1 } }), { kind: 'manifest', version: 1, text: /"entry": "keep"/ }),
  listVersions: is(200, async (s) => s.api.get('/v1/forge/tools/{tool}/versions', { path: { tool: await s.tool() }, query: { limit: 1 } }), { versions: [{ version: 2, active: true, enabled: true }], next: '1' }),
  diffTool: is(200, async (s) => s.api.get('/v1/forge/tools/{tool}/diff', { path: { tool: await s.tool() }, query: { from: 1, to: 2 } }), { facts: { powers: { added: ['read'], removed: [] }, stepsAdded: [{ id: 'look', does: 'notes.list' }], grows: true }, text: /^\+.*"entry": "look"/m }),

  listDataNotes: is(200, async (s) => s.api.get('/v1/data/notes', { query: { query: (await s.note()).title } }), { notes: [{ content: 'of a note' }], total: 1 }),
  createDataNotes: is(200, ({ api }) => api.post('/v1/data/notes', { body: { title: ' a ' } }), { title: 'a', content: '', revision: 1 }),
  getDataNotes: is(200, async (s) => s.api.get('/v1/data/notes/{id}', { path: { id: (await s.note()).id } }), { content: 'of a note', revision: 1 }),
  updateDataNotes: is(200, async (s) => s.api.patch('/v1/data/notes/{id}', { path: { id: (await s.note()).id }, body: { title: 'new', revision: 1 } }), { title: 'new', content: 'of a note', revision: 2 }),
  deleteDataNotes: is(200, async (s) => s.api.delete('/v1/data/notes/{id}', { path: { id: (await s.note()).id }, query: { revision: 1 } }), { content: 'of a note', revision: 2 }),
  undoDataNotes: is(200, async (s) => { const path = { id: (await s.note()).id }; await s.api.delete('/v1/data/notes/{id}', { path }); return s.api.post('/v1/data/notes/{id}/undo', { path }) }, { note: { content: 'of a note', revision: 1 }, undone: { action: 'delete', gone: false } }),
  listDataTasks: is(200, async (s) => s.api.get('/v1/data/tasks', { query: { query: (await s.task()).title, status: 'todo' } }), { tasks: [{ priority: 'normal' }], total: 1 }),
  createDataTasks: is(200, ({ api }) => api.post('/v1/data/tasks', { body: { title: 'a', dueAt: '2026-12-01T17:00:00+01:00' } }), { status: 'todo', dueAt: '2026-12-01T16:00:00.000Z' }),
  getDataTasks: is(200, async (s) => s.api.get('/v1/data/tasks/{id}', { path: { id: (await s.task()).id } }), { status: 'todo', description: '' }),
  updateDataTasks: is(200, async (s) => s.api.patch('/v1/data/tasks/{id}', { path: { id: (await s.task()).id }, body: { status: 'done', dueAt: null } }), { status: 'done', revision: 2 }),
  deleteDataTasks: is(200, async (s) => s.api.delete('/v1/data/tasks/{id}', { path: { id: (await s.task()).id } }), { status: 'todo', revision: 2 }),
  undoDataTasks: is(200, async (s) => s.api.post('/v1/data/tasks/{id}/undo', { path: { id: (await s.task()).id } }), ({ task, undone }) => task === undefined && undone.gone && undone.action === 'create'),
  listDataMemory: is(200, async (s) => s.api.get('/v1/data/memory', { query: { search: (await s.memory()).content } }), { memory: [{ title: 'a', archived: false }], total: 1 }),
  createDataMemory: is(200, ({ api }) => api.post('/v1/data/memory', { body: { title: 'a', content: 'b', kind: 'fact' } }), { kind: 'fact', archived: false }),
  getDataMemory: is(200, async (s) => s.api.get('/v1/data/memory/{id}', { path: { id: (await s.memory()).id } }), { title: 'a', kind: '' }),
  updateDataMemory: is(200, async (s) => s.api.patch('/v1/data/memory/{id}', { path: { id: (await s.memory()).id }, body: { archived: true } }), { title: 'a', archived: true }),
  deleteDataMemory: is(200, async (s) => s.api.delete('/v1/data/memory/{id}', { path: { id: (await s.memory()).id } }), { title: 'a', revision: 2 }),
  undoDataMemory: is(200, async (s) => { const path = { id: (await s.memory()).id }; await s.api.patch('/v1/data/memory/{id}', { path, body: { title: 'b' } }); return s.api.post('/v1/data/memory/{id}/undo', { path }) }, { memory: { title: 'a' }, undone: { action: 'update', title: 'a' } }),

  listSecrets: is(200, async (s) => { await secret(s); return s.api.get('/v1/secrets', { query: { limit: 1 } }) }, { secrets: [{ tool: /^dynamic:keep/, name: 'key', header: 'Authorization', prefix: 'Bearer ', readable: true }] }),
  setSecret: is(200, async (s) => s.api.put('/v1/secrets/{tool}/{name}', { path: { tool: await s.tool(), name: 'key' }, body: { value: '0123456789abcdef', header: 'X-Key' } }), { name: 'key', header: 'X-Key', prefix: '', notes: [/declares no credential/] }),
  deleteSecret: is(200, async (s) => s.api.delete('/v1/secrets/{tool}/{name}', { path: { tool: await secret(s), name: 'key' } }), { tool: /^dynamic:keep/, deleted: 'key' }),
  listTokens: is(200, async (s) => { await token(s); return s.api.get('/v1/tokens', { query: { limit: 1 } }) }, { tokens: [{ name: 'editor', tools: ['notes.list'], addedAt: /Z$/ }] }),
  addToken: is(200, (s) => token(s), { name: 'editor', token: /./ }),
  removeToken: is(200, async (s) => { await token(s); return s.api.delete('/v1/tokens/{name}', { path: { name: 'editor' } }) }, { removed: 'editor' }),
  makeLogin: is(200, ({ api }) => api.post('/v1/logins'), { path: /^\/docs\?token=./, expiresAt: /Z$/ }),
  listAudit: is(200, ({ api }) => api.get('/v1/audit', { query: { limit: 1 } }), { audit: [{ from: 'http', action: /./ }] }),
  verifyAudit: is(200, async ({ api }) => api.get('/v1/audit/verify', { query: { expect: given((await api.get('/v1/audit/verify')).data.head) } }), { ok: true, unchained: 0, findings: [] }),

  call_http_get: is(200, (s) => s.allowed(s.api.post('/v1/tools/http.get/call', { query: { wait: 0 }, body: { url: 'https://localhost/' } })), { status: 'failed', error: { code: 'OUTBOUND_URL_INVALID' } }),
  call_http_post: is(200, (s) => s.allowed(s.api.post('/v1/tools/http.post/call', { query: { wait: 0 }, body: { url: 'https://localhost/', json: { a: 1 } } })), { status: 'failed', error: { code: 'OUTBOUND_URL_INVALID' } }),
  call_list: is(200, ({ api }) => api.post('/v1/tools/list/call', { body: { items: [1, 'a'] } }), { value: [1, 'a'] }),
  call_map: is(200, ({ api }) => api.post('/v1/tools/map/call', { body: { tool: 'shout', as: 'text', items: ['a', 'b'] } }), { value: ['A', 'B'] }),
  call_wait: is(200, ({ api }) => api.post('/v1/tools/wait/call', { body: { seconds: 0 } }), { value: { endedAt: /Z$/ } }),
  call_memory_create: is(200, ({ api }) => api.post('/v1/tools/memory.create/call', { body: { title: 'a', content: 'b' } }), { value: { title: 'a', archived: false } }),
  call_memory_search: is(200, async (s) => s.api.post('/v1/tools/memory.search/call', { body: { query: (await s.memory()).content } }), ({ value }) => value?.length === 1),
  call_memory_archive: is(200, async (s) => s.api.post('/v1/tools/memory.archive/call', { body: { id: (await s.memory()).id } }), { value: { archived: true, revision: 2 } }),
  call_notes_create: is(200, ({ api }) => api.post('/v1/tools/notes.create/call', { body: { title: 'a', content: 'b' } }), { value: { title: 'a', revision: 1 } }),
  call_notes_list: is(200, async (s) => s.api.post('/v1/tools/notes.list/call', { body: { query: (await s.note()).title } }), ({ value }) => value?.length === 1),
  call_notes_update: is(200, async (s) => s.api.post('/v1/tools/notes.update/call', { body: { id: (await s.note()).id, title: 'new' } }), { value: { title: 'new', revision: 2 } }),
  call_notes_delete: is(200, async (s) => s.api.post('/v1/tools/notes.delete/call', { body: { id: (await s.note()).id } }), { status: 'succeeded', value: { content: 'of a note' } }),
  call_notes_restore: is(200, async (s) => { const { id } = await s.note(); await s.api.post('/v1/tools/notes.delete/call', { body: { id } }); return s.api.post('/v1/tools/notes.restore/call', { body: { id } }) }, { value: { content: 'of a note' } }),
  call_tasks_create: is(200, ({ api }) => api.post('/v1/tools/tasks.create/call', { body: { title: 'a', priority: 'high' } }), { value: { priority: 'high', status: 'todo' } }),
  call_tasks_list: is(200, async (s) => s.api.post('/v1/tools/tasks.list/call', { body: { query: (await s.task()).title } }), ({ value }) => value?.length === 1),
  call_tasks_setStatus: is(200, async (s) => s.api.post('/v1/tools/tasks.setStatus/call', { body: { id: (await s.task()).id, status: 'done' } }), { value: { status: 'done' } }),
  call_tasks_delete: is(200, async (s) => s.api.post('/v1/tools/tasks.delete/call', { body: { id: (await s.task()).id } }), { status: 'succeeded', value: { status: 'todo' } }),
  call_tasks_restore: is(200, async (s) => { const { id } = await s.task(); await s.api.post('/v1/tools/tasks.delete/call', { body: { id } }); return s.api.post('/v1/tools/tasks.restore/call', { body: { id } }) }, { value: { status: 'todo' } }),
} satisfies { readonly [Id in keyof operations]: Entry }

/** Allows "shout" for good, and gives the id of the grant. */
async function grant({ api, question, undo }: Scene): Promise<string> {
  const { id } = await question()
  await api.post('/v1/consents/{question}/answer', { path: { question: id }, body: { allow: true, for: 'always' } })
  const grant = given((await api.get('/v1/grants')).data.grants[0]).id
  undo(() => api.delete('/v1/grants/{grant}', { path: { grant } }).catch(() => undefined))
  return grant
}

/** Keeps the secret "key" of a tool, and gives the name of the tool. */
async function secret({ api, tool }: Scene): Promise<string> {
  const name = await tool()
  await api.put('/v1/secrets/{tool}/{name}', { path: { tool: name, name: 'key' }, body: { value: '0123456789abcdef' } })
  return name
}

/** Lets the program "editor" in. */
async function token({ api, undo }: Scene): Promise<ApiResult<components['schemas']['TokenMade']>> {
  undo(() => api.delete('/v1/tokens/{name}', { path: { name: 'editor' } }).catch(() => undefined))
  return await api.post('/v1/tokens', { body: { name: 'editor', tools: ['notes.list'] } })
}

/** A tool that keeps a thought as a note. From its second version on it looks at the notes before. */
function manifest(id: string, version: number): string {
  const look = '{"id": "look", "type": "capability", "capability": "notes.list", "input": {}, "target": "$.all", "next": "keep"},'
  return `{
  "schema": "talos.local-tool.v1", "id": "${id}", "version": ${version}, "title": "Keep", "description": "Keeps a thought.",
  "createdAt": "2026-11-27T16:00:00Z", "parentVersion": null, "execution": "declarative-flow", "installScope": "device",
  "network": {"mode": "forbidden", "domains": []}, "credentialRequirements": [],
  "inputSchema": {"type": "object", "properties": {"thought": {"type": "string"}}, "required": ["thought"], "additionalProperties": false},
  "flow": {"entry": "${version > 1 ? 'look' : 'keep'}", "maxTransitions": 8, "nodes": [${version > 1 ? look : ''}
    {"id": "keep", "type": "capability", "capability": "notes.create", "input": {"title": "A thought", "content": {"$ref": "$.input.thought"}}, "target": "$.note", "next": "done"},
    {"id": "done", "type": "return", "value": {"note": {"$ref": "$.note.title"}}}
  ]}
}`
}

/** What the document says of an operation, as far as it is needed here. */
interface Document {
  readonly paths: { readonly [path: string]: { readonly [method: string]: { readonly operationId: string } } }
}

let server: Server
let desk: Connection
let document: Document
const called: string[] = []
const begun: (() => void)[] = []

before(async () => {
  server = await startServer()
  // What it says of itself before anything was added to it.
  document = (await server.ask('/resources/peers/local/api')).data as unknown as Document
  const api = createApi({ url: server.url, token: server.token })
  for (const name of ['read', 'write', 'outbound']) await api.put('/v1/settings/{kind}/{name}', { path: { kind: 'power', name }, body: { permission: 'allow' } })
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } as const
  desk = await connect(server.url, {
    name: 'desk',
    token: server.token,
    tools: [
      createClientTool({ name: 'shout', description: 'Says it loudly.', parameters: text, function: (args) => args.text.toUpperCase() }),
      createClientTool({
        name: 'survey',
        description: 'Asks for a number and a page.',
        parameters: { type: 'object' },
        context: ['ask', 'popup'],
        function: async (_, context) => {
          const [count, sure] = await Promise.all([
            context.interaction({ title: 'How many?', schema: { type: 'integer', maximum: 9 } }),
            context.interaction({ title: 'Sure?', text: 'It is for the cake.' }),
          ])
          await context.popup(new URL('https://example.com/sign-in'))
          return [count, sure]
        },
      }),
      createClientTool({ name: 'hang', description: 'Hangs.', parameters: { type: 'object' }, function: () => new Promise(() => begun.shift()?.()) }),
    ],
  })
})

after(() => {
  desk.close()
  server.stop()
})

/** A client that notes what is called. */
function noted(api: Api): Api {
  const noting = <M extends keyof Api>(method: M): Api[M] => {
    const ask = api[method] as (path: string, ...request: unknown[]) => Promise<unknown>
    return ((path: string, ...request: unknown[]) => {
      called.push(`${method} ${path}`)
      return ask(path, ...request)
    }) as Api[M]
  }
  return { get: noting('get'), put: noting('put'), post: noting('post'), patch: noting('patch'), delete: noting('delete') }
}

function given<T>(value: T | undefined): T {
  assert(value !== undefined)
  return value
}

function sceneWith(undo: Scene['undo']): Scene {
  const plain = createApi({ url: server.url, token: server.token })
  const api = noted(plain)
  const id = (): string => crypto.randomUUID()
  const setting = { kind: 'tool', name: 'shout' } as const
  const tool = async (): Promise<string> => {
    const path = { tool: `keep-${id()}` }
    undo(() => plain.delete('/v1/forge/tools/{tool}', { path }).catch(() => undefined))
    for (const version of [1, 2]) await plain.post('/v1/forge/tools', { body: { text: manifest(path.tool, version) } })
    return (await plain.post('/v1/forge/tools/{tool}/enable', { path })).data.tool.name
  }
  return {
    api,
    undo,
    tool,
    kept: async () => (await plain.post('/v1/tools/{tool}/call', { path: { tool: await tool() }, body: { thought: 'tea' } })).data.run,
    note: async () => given((await plain.post('/v1/tools/notes.create/call', { body: { title: id(), content: 'of a note' } })).data.value),
    task: async () => given((await plain.post('/v1/tools/tasks.create/call', { body: { title: id() } })).data.value),
    memory: async () => given((await plain.post('/v1/tools/memory.create/call', { body: { title: 'a', content: id() } })).data.value),
    run: async () => (await plain.post('/v1/tools/{tool}/call', { path: { tool: 'shout' }, body: { text: 'hi' } })).data.run,
    async hanging() {
      const began = new Promise<void>((resolve) => begun.push(resolve))
      const { run } = (await plain.post('/v1/runs', { body: [call('hang', {})] })).data
      undo(() => plain.post('/v1/runs/{run}/cancel', { path: { run } }).catch(() => undefined))
      await began
      return run
    },
    async question() {
      await plain.put('/v1/settings/{kind}/{name}', { path: setting, body: { permission: 'ask' } })
      undo(() => plain.delete('/v1/settings/{kind}/{name}', { path: setting }))
      const { run } = (await plain.post('/v1/runs', { body: [call('shout', { text: 'hi' })] })).data
      undo(() => plain.post('/v1/runs/{run}/cancel', { path: { run } }).catch(() => undefined))
      return await questionOf(plain, run)
    },
    async allowed(calling) {
      const { status, headers, data } = await calling
      assert.equal(status, 202)
      const { id } = await questionOf(plain, data.run)
      await plain.post('/v1/consents/{question}/answer', { path: { question: id }, body: { allow: true } })
      const came = await plain.get('/v1/runs/{run}/result', { path: { run: data.run } })
      return { status: came.status, headers, data: came.data as typeof data }
    },
  }
}

/** The question of a run, as soon as there is one. */
async function questionOf(api: Api, run: string): Promise<components['schemas']['Question']> {
  for (;;) {
    const found = (await api.get('/v1/consents')).data.consents.find((one) => one.run === run)
    if (found !== undefined) return found
    const { data } = await api.get('/v1/runs/{run}', { path: { run } })
    assert.equal(data.settledAt, undefined, 'nobody was asked')
  }
}

test('the committed types are what the document of a fresh server makes, whatever its version', async () => {
  const committed = await readFile(new URL('../src/paths.ts', import.meta.url), 'utf8')
  const other = { ...document, info: { title: 'Another', version: '99.0.0' } }
  for (const one of [document, other]) assert(committed === (await typesOf(one)), 'Run "npm run generate", and commit src/paths.ts.')
})

test('the table has every operation of the document, and no other', () => {
  const ids = Object.values(document.paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  assert.deepEqual(Object.keys(table).sort(), ids.sort())
})

for (const [id, entry] of Object.entries(table)) {
  test(`the operation ${id}`, async () => {
    const undone: (() => Promise<unknown>)[] = []
    called.length = 0
    try {
      await entry.run(sceneWith((what) => undone.unshift(what)))
      const ids = called.map((each) => {
        const [method = '', path = ''] = each.split(' ')
        return document.paths[path]?.[method]?.operationId
      })
      assert(ids.includes(id), `it calls ${called.join(', ')}`)
    } finally {
      for (const what of undone) await what()
    }
  })
}

test('the example of the documents does what they say', async () => {
  const example = fileURLToPath(new URL('../examples/notes.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [example, server.url, server.token])
  assert.match(stdout, /^succeeded \n(?:.*\n)*Milk - Two litres\.\n(?:.*\n)*RUN_NOT_FOUND\n$/)
  const [page, text] = await Promise.all([readFile(new URL('../../../docs/typescript.md', import.meta.url), 'utf8'), readFile(example, 'utf8')])
  assert(page.includes(text.slice(text.indexOf('const api'))), 'docs/typescript.md does not have it word for word')
})

test('a client tool asks the person, who answers over HTTP', async () => {
  const api = createApi({ url: server.url, token: server.token })
  const { run } = (await api.post('/v1/runs', { body: [call('survey', {})] })).data
  const seen: string[] = []
  for (let n = 0; n < 3; n++) { // the two that are asked at once come in any order
    const { id, form, reason } = await questionOf(api, run)
    const answer = form?.url !== undefined ? undefined : form?.title === 'How many?' ? 7 : true
    seen.push(String(form?.url ?? form?.title))
    assert.equal(reason, 'form')
    const path = { question: id }
    if (answer === 7) await assert.rejects(api.post('/v1/consents/{question}/answer', { path, body: { allow: true, answer: 70 } }), { code: 'ANSWER_INVALID' })
    const { data } = await api.post('/v1/consents/{question}/answer', { path, body: { allow: true, ...(answer === undefined ? {} : { answer }) } })
    assert.deepEqual([data.answer?.allow, data.answer?.value], [true, answer])
  }
  const { data } = await api.get('/v1/runs/{run}/result', { path: { run } })
  assert.deepEqual([data.status, data.value], ['succeeded', [7, true]])
  assert.deepEqual(seen.sort(), ['How many?', 'Sure?', 'https://example.com/sign-in'])
})

test('a refusal is the error that the server tells, with its field', async () => {
  const api = createApi({ url: server.url, token: server.token })
  await assert.rejects(api.get('/v1/runs/{run}', { path: { run: 'nobody' } }), { code: 'RUN_NOT_FOUND' })
  await assert.rejects(api.get('/v1/tools', { query: { limit: 0 } }), { code: 'INVALID', field: 'query.limit' })
  await assert.rejects(createApi({ url: server.url, token: 'guess' }).get('/v1/peer'), { code: 'HTTP_TOKEN_REFUSED' })
})

test('what does not fit the document does not compile', () => {
  // So it is not run.
  const never = (api: Api): void => {
    // @ts-expect-error there is no such path
    void api.get('/v1/nothing')
    // @ts-expect-error the path has no such method
    void api.put('/v1/runs')
    // @ts-expect-error the path needs a run
    void api.get('/v1/runs/{run}')
    // @ts-expect-error a limit is a number
    void api.get('/v1/runs', { query: { limit: '1' } })
    // @ts-expect-error there is no such query
    void api.get('/v1/runs', { query: { colour: 'red' } })
    // @ts-expect-error a search needs words
    void api.get('/v1/search')
    // @ts-expect-error a note is due at no time
    void api.patch('/v1/data/notes/{id}', { path: { id: 'n' }, body: { dueAt: null } })
    // @ts-expect-error the body is missing
    void api.post('/v1/tools/notes.create/call')
    // @ts-expect-error a note has a title
    void api.post('/v1/tools/notes.create/call', { body: { content: 'b' } })
    // @ts-expect-error a note has no colour
    void api.post('/v1/tools/notes.create/call', { body: { title: 'a', content: 'b', colour: 'red' } })
    // @ts-expect-error a status is one of three
    void api.post('/v1/tools/tasks.create/call', { body: { title: 'a', status: 'lost' } })
    // @ts-expect-error an answer says yes or no
    void api.post('/v1/consents/{question}/answer', { path: { question: 'q' }, body: { for: 'once' } })
    // @ts-expect-error an answer is for once, run or always
    void api.post('/v1/consents/{question}/answer', { path: { question: 'q' }, body: { allow: true, for: 'ever' } })
    // @ts-expect-error the title of a note is a text
    void api.post('/v1/tools/notes.create/call', { body: { title: 'a', content: 'b' } }).then(({ data }): number | undefined => data.value?.title)
    // @ts-expect-error an entry that expects what an answer cannot have
    void is(200, (s) => s.api.get('/healthz'), { ok: 'yes' })
    // @ts-expect-error the types of another document have other paths
    void createApi<Pick<paths, '/healthz'>>({ url: '' }).get('/v1/peer')
  }
  assert.equal(typeof never, 'function')
})
