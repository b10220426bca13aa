// Compares texts by how easy they are to read: one call for each, side by side, and a reducer that
// puts them in order, also when some could not be measured.
import { createTool, previous, toolCall, ToolsmithError } from 'toolsmith'

export const rankTexts = createTool({
  name: 'rank-texts',
  title: 'Easiest texts first',
  description: 'Measures how easy texts are to read, and gives them easiest first. A text without words is listed as not measured.',
  parameters: {
    type: 'object',
    properties: {
      texts: {
        type: 'array',
        minItems: 1,
        maxItems: 100,
        items: { type: 'string', maxLength: 10_000 },
        description: 'The texts to compare.',
      },
    },
    required: ['texts'],
    additionalProperties: false,
  } as const,
  calls: ['map', 'measure-text', 'order-texts'],
  function({ texts }, context) {
    const each = toolCall('map', { tool: 'measure-text', items: texts, as: 'text' })
    // The measures come in the order of the texts, null for one that failed.
    const reducer = toolCall('order-texts', { texts, measures: previous() }, { runOn: 'settled' })
    return context.createSubtasksResult([each, reducer])
  },
})

export const measureText = createTool({
  name: 'measure-text',
  description: 'Measures a text by LIX: words to a sentence, and long words in a hundred. Below 30 is easy, above 60 hard.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false } as const,
  result: { type: 'number' } as const,
  function({ text }) {
    const words = text.match(/\p{L}+/gu) ?? []
    if (words.length === 0) throw new ToolsmithError('NO_WORDS', 'There is not one word in the text.')
    const sentences = Math.max(1, (text.match(/[.!?:](\s|$)/g) ?? []).length)
    const long = words.filter((word) => word.length > 6).length
    return Math.round(words.length / sentences + (100 * long) / words.length)
  },
})

export const orderTexts = createTool({
  name: 'order-texts',
  description: 'Puts texts in the order of their measures, smallest first.',
  parameters: {
    type: 'object',
    properties: {
      texts: { type: 'array', items: { type: 'string' } },
      measures: { type: 'array', items: { type: ['number', 'null'] } },
    },
    required: ['texts', 'measures'],
    additionalProperties: false,
  } as const,
  function({ texts, measures }) {
    const all = texts.map((text, i) => ({ text: text.length > 60 ? `${text.slice(0, 60)}…` : text, lix: measures[i] ?? null }))
    const ranked = all.flatMap(({ text, lix }) => (lix === null ? [] : [{ text, lix }])).sort((a, b) => a.lix - b.lix)
    return { ranked, notMeasured: all.filter(({ lix }) => lix === null).map(({ text }) => text) }
  },
})
