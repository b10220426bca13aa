import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClientTool, createTool, ToolsmithError, type FromSchema, type Json, type ToolContext } from 'toolsmith'

const parameters = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } as const
const good = { name: 'a', description: 'Does a thing.', parameters, function: () => 'done' }

function problemsOf(make: () => unknown): string[] {
  try {
    make()
  } catch (error) {
    assert(error instanceof ToolsmithError)
    assert.equal(error.code, 'DECLARATION_INVALID')
    const details = error.details as readonly { path: string; message: string }[]
    for (const { path, message } of details) assert(error.message.includes(`${path}: ${message}`), 'the text lists each problem')
    return details.map(({ path }) => path)
  }
  return []
}

test('a declaration is kept with its function', async () => {
  const tool = createTool({ ...good, async function({ text }) { return `${text}!` } })
  assert.equal(tool.kind, 'tool')
  assert.equal(tool.name, 'a')
  assert.deepEqual(tool.declaration, { name: 'a', description: 'Does a thing.', parameters })
  assert.equal(await tool.call({ text: 'x' }, {} as ToolContext), 'x!')
  assert.throws(() => Object.assign(tool.declaration, { name: 'b' }), TypeError, 'what was checked cannot be changed')
  assert.throws(() => Object.assign(tool.declaration.parameters, { type: 'string' }), TypeError)
})

test('what a function throws comes as a rejection, also when it throws at once', async () => {
  const tool = createTool({ ...good, function() { throw new Error('no') } })
  await assert.rejects(tool.call({ text: '' }, {} as ToolContext), /no/)
})

test('all problems of a declaration are listed, each at its path', () => {
  const wrong = {
    name: 'a b',
    titel: 'x',
    description: ' ',
    longDescription: 'x'.repeat(20_001),
    version: '',
    parameters: {
      type: 'array',
      properties: { a: { type: 'text' }, 'b c': { enum: [] }, d: 3, e: { pattern: '(' } },
      required: ['a', 7, 'z'],
      additionalProperties: false,
      anyOf: [],
      default: Number.NaN,
    },
    result: [],
    renderOptions: 3,
    network: ['https://x/', 'ok.example', 'ok.example', '*.example'],
    secrets: ['a b'],
    calls: [''],
    context: ['chain', 'files'],
    timeout: 0,
    readOnly: 'yes',
    function: 'x',
  }
  assert.deepEqual(problemsOf(() => createClientTool(wrong as never)), [
    '$.name',
    '$.titel',
    '$.description',
    '$.longDescription',
    '$.version',
    '$.parameters.required[1]',
    '$.parameters.required[2]',
    '$.parameters.properties.a.type',
    '$.parameters.properties["b c"].enum',
    '$.parameters.properties.d',
    '$.parameters.properties.e.pattern',
    '$.parameters.anyOf',
    '$.parameters.type',
    '$.parameters.default',
    '$.result',
    '$.renderOptions',
    '$.network[0]',
    '$.network[2]',
    '$.network[3]',
    '$.secrets[0]',
    '$.calls[0]',
    '$.context[1]',
    '$.timeout',
    '$.readOnly',
    '$.function',
  ])
})

const single: readonly [name: string, change: object, path: string][] = [
  ['nothing is given', { name: undefined }, '$.name'],
  ['a name in other letters', { name: 'ä' }, '$.name'],
  ['a name that is too long', { name: 'a'.repeat(65) }, '$.name'],
  ['a description with a bidirectional override', { description: 'Sends \u202Etxt' }, '$.description'],
  ['a title with a zero-width space', { title: 'a\u200Bb' }, '$.title'],
  ['a title with a tag character', { title: 'a\u{E0041}' }, '$.title'],
  ['a description with half a character', { description: 'a', renderOptions: { x: '\uD800' } }, '$.renderOptions.x'],
  ['a description that is too long', { description: 'é'.repeat(1001) }, '$.description'],
  ['parameters that are too large', { parameters: { type: 'object', description: 'x'.repeat(65_536) } }, '$.parameters'],
  ['a field of a client tool on a tool', { timeout: 5 }, '$.timeout'],
  ['a field named like a part of every object', { constructor: 1 }, '$.constructor'],
]
for (const [name, change, path] of single) {
  test(`refused: ${name}`, () => assert.deepEqual(problemsOf(() => createTool({ ...good, ...change } as never)), [path]))
}

test('what looks odd and is right passes', () => {
  for (const change of [
    { description: 'Zwei Zeilen,\nmit 👩‍👩‍👧 und Tab\t.' },
    { title: 'é'.repeat(120) },
    { network: ['api.example.com', 'http://intranet', 'x.example:8443'] },
    { parameters: { type: 'object', properties: { a: true, b: { type: ['string', 'null'] } } } },
    { result: { anyOf: [{ type: 'string' }, { const: null }] } },
    { longDescription: undefined },
  ]) {
    assert.deepEqual(problemsOf(() => createTool({ ...good, ...change } as never)), [])
  }
  assert.deepEqual(problemsOf(() => createTool(3 as never)), ['$'])
})

// What follows is held true by the compiler.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function isTrue<_T extends true>(): void {
  // Nothing to do: a wrong type does not compile.
}

test('the types of arguments come from the schema', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string' },
      count: { type: 'integer', default: 3 },
      ratio: { type: 'number' },
      on: { type: 'boolean' },
      unit: { enum: ['cm', 'inch', 5] },
      fixed: { const: 'x' },
      names: { type: 'array', items: { type: 'string' } },
      any: {},
      maybe: { type: ['string', 'null'] },
      either: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }] },
      place: { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } }, required: ['x'] },
      counts: { type: 'object', additionalProperties: { type: 'integer' } },
    },
    required: ['text', 'unit'],
    additionalProperties: false,
  } as const
  type Args = FromSchema<typeof schema>
  isTrue<
    Equal<
      Args,
      {
        text: string
        count: number
        unit: 'cm' | 'inch' | 5
        ratio?: number
        on?: boolean
        fixed?: 'x'
        names?: string[]
        any?: Json
        maybe?: string | null
        either?: string | number[]
        place?: { x: number; y?: number }
        counts?: { [name: string]: number }
      }
    >
  >()
  isTrue<Equal<FromSchema<{ type: 'object' }>, { [name: string]: Json }>>()
  isTrue<Equal<FromSchema<true>, Json>>()

  createTool({
    name: 'typed',
    description: 'Without "as const".',
    parameters: { type: 'object', properties: { n: { type: 'integer' }, tags: { type: 'array', items: { type: 'string' } } }, required: ['n'] },
    result: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    function({ n, tags }, context) {
      isTrue<Equal<typeof n, number>>()
      isTrue<Equal<typeof tags, string[] | undefined>>()
      return n > 3 ? { sum: n } : context.createSubtasksResult({ role: 'tool', content: { type: 'structured', data: n } })
    },
  })
  createTool({
    ...good,
    result: { type: 'string' },
    // @ts-expect-error a number does not fit the result schema
    function: () => 5,
  })
  createClientTool({
    ...good,
    // @ts-expect-error there is no such context method
    context: ['files'].slice(1),
  })
})
