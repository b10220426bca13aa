// Lists the pages of a category of Wikipedia. One call reads one page of the list, leaves what it
// found as a visible task, and returns a call of itself with the next cursor: there is no loop that
// nobody sees, and after a crash it goes on with the page at which it was.
import { createTool, message, returns, structured, toolCall, ToolsmithError, type ToolContext } from 'toolsmith'

/** What the host answers, as far as it is read. */
interface Answer {
  readonly error?: { readonly info: string }
  readonly continue?: { readonly cmcontinue: string }
  readonly query?: { readonly categorymembers: readonly { readonly title: string }[] }
}

export const categoryPages = createTool({
  name: 'category-pages',
  title: 'Pages of a category',
  description: 'Lists the titles of the pages in a category of the English Wikipedia, 50 with each request, until there are no more or enough.',
  parameters: {
    type: 'object',
    properties: {
      category: { type: 'string', minLength: 1, maxLength: 200, description: 'The category, such as "Tea ceremony".' },
      requests: { type: 'integer', minimum: 1, maximum: 40, default: 4, description: 'How many requests to make at most.' },
      cursor: { type: 'string', maxLength: 1000, description: 'Where to go on; left out at the beginning.' },
    },
    required: ['category'],
    additionalProperties: false,
  } as const,
  network: ['en.wikipedia.org'],
  async function({ category, requests, cursor }, context) {
    const url = new URL('https://en.wikipedia.org/w/api.php?action=query&list=categorymembers&cmtype=page&cmlimit=50&format=json&formatversion=2')
    url.searchParams.set('cmtitle', `Category:${category}`)
    if (cursor !== undefined) url.searchParams.set('cmcontinue', cursor)
    const response = await context.fetch(url)
    if (!response.ok) throw new ToolsmithError('WIKIPEDIA_FAILED', `Wikipedia answered with the status ${response.status}.`)
    const { error, query, continue: more } = (await response.json()) as Answer
    if (error !== undefined) throw new ToolsmithError('WIKIPEDIA_REFUSED', `Wikipedia says: ${error.info}`)
    const titles = query?.categorymembers.map(({ title }) => title) ?? []
    if (more !== undefined && requests > 1) {
      const next = toolCall('category-pages', { category, requests: requests - 1, cursor: more.cmcontinue })
      return context.createSubtasksResult([structured({ titles }), next])
    }
    const all = [...(await earlier(context)), ...titles]
    const end = more === undefined ? '' : ' and more'
    return context.createSubtasksResult([message(`${all.length} ${all.length === 1 ? 'page' : 'pages'}${end}`), structured({ titles: all, complete: more === undefined }), returns()])
  },
})

/** The titles that earlier calls have left in the chain. */
async function earlier(context: ToolContext): Promise<string[]> {
  const chain = await context.getExecutionTaskChain()
  return chain.flatMap(({ content }) => (content.type === 'structured' ? (content.data as unknown as { titles: string[] }).titles : []))
}
