// The page: it supplies a tool that needs the person before it, and bridges two guests.
import { acceptPort, bridge, connect, createClientTool, portToWorker, ToolsmithError } from '../../dist/index.js'

const find = (id) => document.getElementById(id)

const pickColour = createClientTool({
  name: 'pick_colour',
  title: 'Pick a colour',
  description: 'Asks the person to pick a colour, and gives it as "#rrggbb".',
  parameters: {
    type: 'object',
    properties: { question: { type: 'string', description: 'What the colour is for.', maxLength: 200 } },
    required: ['question'],
    additionalProperties: false,
  },
  result: { type: 'string' },
  readOnly: true,
  timeout: 600_000,
  function: ({ question }, context) => ask(question, context.stopSignal),
})

/** Shows the question, and closes it again when nobody waits for the answer any more. */
function ask(question, stopSignal) {
  const dialog = find('picker')
  if (dialog.open) throw new ToolsmithError('PAGE_BUSY', 'The person is being asked something else.')
  // As text: what a model asks must not become part of the page.
  find('question').textContent = question
  dialog.returnValue = 'no'
  dialog.showModal()
  return new Promise((resolve, reject) => {
    const stop = () => dialog.close('stopped')
    stopSignal.addEventListener('abort', stop)
    const closed = () => {
      if (dialog.open) return // the event comes a little later: this one is of the question before
      dialog.removeEventListener('close', closed)
      stopSignal.removeEventListener('abort', stop)
      if (dialog.returnValue === 'yes') resolve(dialog.querySelector('input').value)
      else reject(new ToolsmithError('PERSON_DECLINED', 'The person did not pick a colour.'))
    }
    dialog.addEventListener('close', closed)
  })
}

function log(text) {
  const line = document.createElement('li')
  line.textContent = text
  find('log').prepend(line)
}

find('server').addEventListener('submit', async (event) => {
  event.preventDefault()
  const form = new FormData(event.target)
  try {
    const connection = await connect(String(form.get('url')), {
      name: 'example-page',
      token: String(form.get('token')) || undefined,
      tools: [pickColour],
      onEvent: ({ type }) => {
        find('state').textContent = type === 'open' ? 'Connected.' : type === 'close' ? 'Closed.' : 'Connecting again.'
        log(type)
      },
    })
    // A frame with a sandbox has no origin of its own, which is written "null".
    const guest = find('guest')
    guest.src = '/examples/page/guest.html'
    bridge(connection, await acceptPort(guest.contentWindow, { origin: 'null' }), { tools: ['count_words'] })
    bridge(connection, portToWorker(new Worker('/examples/page/worker.js', { type: 'module' })), { tools: ['sum'] })
  } catch (error) {
    find('state').textContent = error.message
  }
})
