// Looks a text over before it is published: two checks side by side, each with a reducer at its end
// that also runs when its check could not be made.
import { createTool, previous, structured, toolCall, ToolsmithError, type Task } from 'toolsmith'

const wordings = [
  { find: '\\bvery\\b', say: 'leave out "very"' },
  { find: '\\b(\\p{L}+)\\s+\\1\\b', say: 'the same word twice' },
]

const text = { type: 'string', minLength: 1, maxLength: 20_000, description: 'The text to look over.' } as const

/** The tool that is called; the other three are its steps. */
export const review = createTool({
  name: 'review-text',
  title: 'Review of a text',
  description: 'Looks a text over before it is published: wording and brackets, side by side. Gives a list of what was found by each check.',
  parameters: {
    type: 'object',
    properties: {
      text,
      wordings: {
        type: 'array',
        maxItems: 50,
        description: 'What to look for: a regular expression, and what to say of it.',
        items: {
          type: 'object',
          properties: { find: { type: 'string' }, say: { type: 'string' } },
          required: ['find', 'say'],
          additionalProperties: false,
        },
        default: wordings,
      },
    },
    required: ['text'],
    additionalProperties: false,
  } as const,
  calls: ['find-wordings', 'find-brackets', 'sum-up-check'],
  function({ text, wordings }, context) {
    const rules = structured({ wordings })
    const independentCheck = toolCall('find-brackets', { text })
    return context.createSubtasksResult([
      [rules, toolCall({ name: 'find-wordings', arguments: { text, wordings: previous('wordings') } }), reducer('wording')],
      [independentCheck, reducer('brackets')],
    ])
  },
})

/** The task at the end of a branch. It sees what came before it, or null where that failed. */
function reducer(check: string): Task {
  return toolCall({ name: 'sum-up-check', arguments: { check, findings: previous() }, runOn: 'settled' })
}

export const findWordings = createTool({
  name: 'find-wordings',
  description: 'Finds the places of a text that fit regular expressions.',
  parameters: {
    type: 'object',
    properties: { text, wordings: { type: 'array', items: { type: 'object' } } },
    required: ['text', 'wordings'],
    additionalProperties: false,
  } as const,
  function({ text, wordings }) {
    const list = wordings as { find: string; say: string }[]
    return list.flatMap(({ find, say }) => Array.from(text.matchAll(pattern(find)), ({ index }) => ({ ...place(text, index), say })))
  },
})

function pattern(source: string): RegExp {
  try {
    return new RegExp(source, 'giu')
  } catch (error) {
    throw new ToolsmithError('PATTERN_INVALID', `${JSON.stringify(source)} is no regular expression: ${(error as Error).message}.`)
  }
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

export const findBrackets = createTool({
  name: 'find-brackets',
  description: 'Finds brackets of a text that are not closed, or close nothing.',
  parameters: { type: 'object', properties: { text }, required: ['text'], additionalProperties: false } as const,
  function({ text }) {
    const open: { bracket: string; at: number }[] = []
    const found: object[] = []
    for (let at = 0; at < text.length; at++) {
      const bracket = text[at] as string
      if (bracket in closing) open.push({ bracket, at })
      else if (Object.values(closing).includes(bracket)) {
        const last = open.at(-1)
        if (last !== undefined && closing[last.bracket] === bracket) open.pop()
        else found.push({ ...place(text, at), say: `"${bracket}" closes nothing` })
      }
    }
    return [...found, ...open.map(({ bracket, at }) => ({ ...place(text, at), say: `"${bracket}" is not closed` }))]
  },
})

export const sumUp = createTool({
  name: 'sum-up-check',
  description: 'Sums up what a check found, also where the check could not be made.',
  parameters: {
    type: 'object',
    properties: { check: { type: 'string' }, findings: { type: ['array', 'null'] } },
    required: ['check', 'findings'],
    additionalProperties: false,
  } as const,
  function({ check, findings }) {
    if (findings === null) return { check, done: false }
    return { check, done: true, found: findings.length, findings }
  },
})

function place(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n')
  return { line: before.length, column: (before.at(-1) as string).length + 1 }
}
