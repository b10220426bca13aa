// A guest in an iframe: it offers a port to the page around it, and supplies a tool through it.
import { connectPort, createClientTool, requestPort } from '../../dist/index.js'

const countWords = createClientTool({
  name: 'count_words',
  description: 'Counts the words of a text.',
  parameters: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'], additionalProperties: false },
  result: { type: 'integer' },
  readOnly: true,
  idempotent: true,
  function: ({ text }) => text.split(/\s+/).filter(Boolean).length,
})

const state = document.getElementById('state')
// The page is known by its address here; a guest from elsewhere writes down whom it trusts.
const port = await requestPort({ origin: new URL(document.baseURI).origin })
await connectPort(port, { name: 'word-counter', tools: [countWords] })
state.textContent = 'Connected through the page.'
