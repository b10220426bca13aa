// Lists the open issues on GitHub that are assigned to you. The token is a secret: it goes into one
// header to one host, and nowhere else.
import { createTool, ToolsmithError } from 'toolsmith'

interface Issue {
  readonly title: string
  readonly html_url: string
  readonly updated_at: string
  readonly repository: { readonly full_name: string }
  readonly pull_request?: object
}

export const myIssues = createTool({
  name: 'my-issues',
  title: 'My open issues',
  description: 'Lists the open issues on GitHub that are assigned to you, those first that changed last. It only reads. The first time, you are asked for an access token.',
  parameters: {
    type: 'object',
    properties: { most: { type: 'integer', minimum: 1, maximum: 100, default: 20, description: 'How many to list at most.' } },
    additionalProperties: false,
  } as const,
  result: {
    type: 'array',
    items: {
      type: 'object',
      properties: { repository: { type: 'string' }, title: { type: 'string' }, address: { type: 'string' }, changed: { type: 'string' } },
      required: ['repository', 'title', 'address', 'changed'],
    },
  } as const,
  network: ['api.github.com'],
  secrets: ['github-token'],
  async function({ most }, context) {
    const token = await context.getSecret('github-token', true)
    const response = await context.fetch(`https://api.github.com/issues?filter=assigned&state=open&sort=updated&per_page=${most}`, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    })
    if (!response.ok) throw refusal(response)
    const issues = (await response.json()) as Issue[]
    return issues
      .filter((issue) => issue.pull_request === undefined) // there, a pull request is an issue too
      .map((issue) => ({ repository: issue.repository.full_name, title: issue.title, address: issue.html_url, changed: issue.updated_at }))
  },
})

/** Says what to do about an answer that is none. */
function refusal(response: Response): ToolsmithError {
  switch (response.status) {
    case 401:
      return new ToolsmithError(
        'TOKEN_REFUSED',
        'GitHub does not know the access token, or it has expired. Set a new one with: toolsmith secrets set my-issues github-token',
      )
    case 403:
    case 429: {
      const left = response.headers.get('x-ratelimit-remaining')
      return left === '0'
        ? new ToolsmithError('RATE_LIMITED', 'GitHub takes no more requests with this token for a while. Try again within the hour.')
        : new ToolsmithError('TOKEN_TOO_WEAK', 'GitHub does not let this token list issues. Give it the right to read issues.')
    }
    default:
      return new ToolsmithError('GITHUB_FAILED', `GitHub answered with the status ${response.status}. Try again later.`)
  }
}
