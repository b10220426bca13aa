// The module of the API, as tools import it.
import { ToolsmithError } from '../../../../sdk/js/src/error.ts'
import { isObject, plain, type Json } from '../../../../sdk/js/src/json.ts'
import { createSubtasksResult, failure, isSubtasksResult, message, previous, returns, structured, toolCall } from '../../../../sdk/js/src/tasks.ts'
import { hostCall, state } from './host.ts'
import { apply, freeze, push, stringify } from './primordials.ts'

/** A tool that was declared. */
export interface Declared {
  readonly name: string
  readonly declaration: Json
  readonly spec: object
  readonly run: ((...args: unknown[]) => unknown) | undefined
}

const mostTools = 1000
export const declared: Declared[] = []

/** Refuses a declaration; the host learns the code that an exception does not carry. */
function refuse(error: ToolsmithError): never {
  hostCall('refused', error.code, error.message, error.field ?? '')
  throw error
}

function createTool(spec: unknown): object {
  if (state.phase !== 'loading') {
    throw new ToolsmithError('DECLARATION_INVALID', 'createTool is called while a tool runs. Declare tools at the top level of the file.')
  }
  if (!isObject(spec)) return refuse(new ToolsmithError('DECLARATION_INVALID', 'createTool takes an object: {name, description, parameters, function}.'))
  if (declared.length >= mostTools) return refuse(new ToolsmithError('DECLARATION_INVALID', `The file declares more than ${mostTools} tools.`))
  const { function: run, ...rest } = spec
  let declaration: Json
  try {
    declaration = plain(rest, 'DECLARATION_INVALID')
  } catch (thrown) {
    return thrown instanceof ToolsmithError ? refuse(thrown) : rethrow(thrown)
  }
  const name = typeof spec['name'] === 'string' ? spec['name'] : ''
  const call = typeof run === 'function' ? (run as (...args: unknown[]) => unknown) : undefined
  push(declared, { name, declaration, spec, run: call })
  return freeze({ kind: 'tool', name, declaration, call: async (...args: unknown[]) => (call === undefined ? undefined : await apply(call, spec, args)) })
}

function rethrow(thrown: unknown): never {
  throw thrown
}

function createClientTool(): never {
  return refuse(
    new ToolsmithError('DECLARATION_INVALID', 'A client tool is supplied by a program outside, which connects to Toolsmith. In a file of coded tools, use createTool.'),
  )
}

/** The exports of the module. */
export const api = freeze({
  createTool,
  createClientTool,
  toolCall,
  message,
  structured,
  returns,
  failure,
  previous,
  createSubtasksResult,
  isSubtasksResult,
  ToolsmithError,
})

/** What was declared, for the host. */
export function declarations(): string {
  const list: object[] = []
  for (let i = 0; i < declared.length; i++) {
    const one = declared[i] as Declared
    push(list, { name: one.name, declaration: one.declaration, hasFunction: one.run !== undefined })
  }
  return stringify(list)
}
