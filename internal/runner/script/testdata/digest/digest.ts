import { createTool, ToolsmithError } from 'toolsmith'

interface Arguments {
  readonly how: string
}

class Reader {
  readonly #how: string

  constructor(how: string) {
    this.#how = how
  }

  read(): never {
    switch (this.#how) {
      case 'coded':
        throw new ToolsmithError('DIGEST_EMPTY', 'There is nothing to digest.', { field: '$.how', details: { left: 0 } })
      case 'cause': {
        const cause = new Error('Beneath.', { cause: 'the root' })
        throw new RangeError('Too far.', { cause })
      }
      default:
        return digest(this as never).inner
    }
  }
}

function digest(reader: { field?: { inner: never } }): { inner: never } {
  const { field } = reader
  return { inner: field!.inner }
}

export const tool = createTool({
  name: 'digest',
  description: 'Fails in different ways.',
  parameters: { type: 'object', properties: { how: { type: 'string' } }, required: ['how'], additionalProperties: false } as const,
  async function({ how }: Arguments) {
    await null
    return new Reader(how).read()
  },
})
