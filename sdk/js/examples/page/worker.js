// A guest in a worker: the page gives it a port.
import { connectPort, createClientTool, workerPort } from '../../dist/index.js'

const sum = createClientTool({
  name: 'sum',
  description: 'Adds numbers.',
  parameters: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'number' } } }, required: ['numbers'], additionalProperties: false },
  result: { type: 'number' },
  readOnly: true,
  idempotent: true,
  function: ({ numbers }, context) => {
    context.progress(numbers.length, numbers.length)
    return numbers.reduce((total, n) => total + n, 0)
  },
})

await connectPort(await workerPort(), { name: 'adder', tools: [sum] })
