// Sums up a text: how many words and sentences, how long it takes to read, and its longest words.
import { createTool } from '@taskyon/taskyon/api'

/** How many words people read in a minute. */
const pace = 230

export const textDigest = createTool({
  name: 'text-digest',
  title: 'Digest of a text',
  description: 'Sums up a text in two lines: words, sentences and reading time, and the longest words. It changes nothing.',
  parameters: {
    type: 'object',
    properties: {
      text: { type: 'string', minLength: 1, maxLength: 50_000, description: 'The text to sum up.' },
      longest: { type: 'integer', minimum: 0, maximum: 20, default: 3, description: 'How many of the longest words to list.' },
    },
    required: ['text'],
    additionalProperties: false,
  } as const,
  async function({ text, longest }, context) {
    const chain = await context.getExecutionTaskChain()
    if (context.stopSignal.aborted) throw new Error('Cancelled')
    const words = text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []
    if (words.length === 0) throw Object.assign(new Error('There is not one word in the text.'), { code: 'NO_WORDS' })
    const sentences = text.split(/[.!?…]+(?:\s|$)/u).filter((part) => /[\p{L}\p{N}]/u.test(part))
    const earlier = chain.filter(({ content }) => content.type === 'message').length
    const lines = [
      `${count(words.length, 'word')} in ${count(sentences.length, 'sentence')}, ${count(Math.ceil(words.length / pace), 'minute')} to read` +
        (earlier === 0 ? '.' : `, after ${count(earlier, 'message')}.`),
    ]
    if (longest > 0) lines.push(`Longest: ${longestOf(words, longest).join(', ')}.`)
    return context.createSubtasksResult([
      [
        { role: 'assistant', content: { type: 'message', data: lines.join('\n') } },
        { role: 'system', content: { type: 'return', data: 'complete' } },
      ],
    ])
  },
})

/** The longest different words, longest first; of equal length as they come in the text. */
function longestOf(words: readonly string[], most: number): string[] {
  const different = new Map(words.map((word) => [word.toLowerCase(), word] as const))
  return [...different.values()].sort((a, b) => b.length - a.length).slice(0, most)
}

function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`
}
