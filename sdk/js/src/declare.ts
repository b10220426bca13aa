import type { ContextMethod, ToolContext } from './context.ts'
import { declarationProblems, type Problem } from './declarationproblems.ts'
import { ToolsmithError } from './error.ts'
import { plain, type JsonObject } from './json.ts'
import type { FromSchema, JsonSchema, ObjectSchema } from './schema.ts'
import type { SubtasksResult } from './tasks.ts'

/** What a function may return: a value that fits the result schema where there is one, or subtasks. */
export type Returned<R> = R extends JsonSchema ? FromSchema<R> | SubtasksResult : unknown

/** What a tool says of itself. Only name, description and parameters have to be given. */
export interface Declaration<P extends ObjectSchema, R extends JsonSchema | undefined> {
  /** 1 to 64 letters, digits, ".", "_" and "-", beginning with a letter or digit. */
  readonly name: string
  /** For people, at most 120 characters. Default: the name. */
  readonly title?: string
  /** What can be seen of what the tool does, what it needs, and its side effects; at most 1,000 characters. */
  readonly description: string
  /** For a model that has chosen the tool; at most 20,000 characters. */
  readonly longDescription?: string
  /** Of what the tool does; what people allow holds for one version. Default: the host's own. */
  readonly version?: string
  /** JSON Schema of the arguments, at most 64 KiB. The types of the function's arguments come from it. */
  readonly parameters: P
  /** JSON Schema of the result. */
  readonly result?: R
  /** How a page shows arguments and results. */
  readonly renderOptions?: JsonObject
  /** Exact hosts that the tool reaches: "api.example.com", with ":8443" behind it or "http://" before it where that is so. */
  readonly network?: readonly string[]
  /** Names of the secrets that the tool may read and set. */
  readonly secrets?: readonly string[]
  /** Names of the tools that its subtasks may call. */
  readonly calls?: readonly string[]
}

/** A tool that Toolsmith itself runs. */
export interface ToolSpec<P extends ObjectSchema, R extends JsonSchema | undefined> extends Declaration<P, R> {
  /** What it does. The arguments are validated and completed with defaults before. */
  function(args: FromSchema<P>, context: ToolContext): Returned<R> | Promise<Returned<R>>
}

/** A tool that runs in this host: a page, a worker, a program. */
export interface ClientToolSpec<P extends ObjectSchema, R extends JsonSchema | undefined> extends ToolSpec<P, R> {
  /**
   * The context methods that the function uses; all others fail with CONTEXT_UNAVAILABLE. Progress
   * is always there, `secret` and `setSecret` with `secrets`, and `fetch` with `network`.
   */
  readonly context?: readonly ContextMethod[]
  /** How long a call may take, in milliseconds, at most 600,000. Default 30,000. */
  readonly timeout?: number
  /** A hint that it changes nothing. It is shown to people, and never trusted. */
  readonly readOnly?: boolean
  /** A hint that calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean
}

/** A tool that was checked. Its function takes arguments that the runtime has validated. */
export interface Tool {
  readonly kind: 'tool'
  readonly name: string
  readonly declaration: Readonly<Omit<ToolSpec<ObjectSchema, JsonSchema | undefined>, 'function'>>
  readonly call: (args: JsonObject, context: ToolContext) => Promise<unknown>
}

/** A client tool that was checked. */
export interface ClientTool {
  readonly kind: 'client'
  readonly name: string
  readonly declaration: Readonly<Omit<ClientToolSpec<ObjectSchema, JsonSchema | undefined>, 'function'>>
  readonly call: (args: JsonObject, context: ToolContext) => Promise<unknown>
}

/**
 * Declares a tool that Toolsmith runs. Name, description, schema and function stay together.
 *
 * @throws DECLARATION_INVALID with everything that is wrong, each at its path; `details` lists them
 */
export function createTool<const P extends ObjectSchema, const R extends JsonSchema | undefined = undefined>(
  spec: ToolSpec<P, R>,
): Tool {
  const { declaration, call } = checked(spec, 'tool')
  return Object.freeze({ kind: 'tool', name: declaration.name, declaration, call })
}

/**
 * Declares a tool for a capability that this host has, such as a file picker, an editor, a person
 * before a page. It is supplied with {@link connect} or {@link connectPort}.
 *
 * @throws DECLARATION_INVALID with everything that is wrong, each at its path; `details` lists them
 */
export function createClientTool<const P extends ObjectSchema, const R extends JsonSchema | undefined = undefined>(
  spec: ClientToolSpec<P, R>,
): ClientTool {
  const { declaration, call } = checked(spec, 'client')
  return Object.freeze({ kind: 'client', name: declaration.name, declaration, call })
}

function checked<P extends ObjectSchema, R extends JsonSchema | undefined>(
  spec: ClientToolSpec<P, R> | ToolSpec<P, R>,
  kind: 'tool' | 'client',
): Pick<ClientTool, 'declaration' | 'call'> {
  const problems = declarationProblems(spec, kind)
  if (problems.length > 0) throw invalidDeclaration(problems)
  const { function: run, ...rest } = spec
  return {
    // A copy, so that nothing changes what was checked.
    declaration: freezeAll(plain(rest, 'DECLARATION_INVALID')) as unknown as ClientTool['declaration'],
    call: async (args, context) => await run.call(spec, args as FromSchema<P>, context),
  }
}

/** Makes the error for a declaration, with all problems in its text and its details. */
export function invalidDeclaration(problems: readonly Problem[]): ToolsmithError {
  const list = problems.map((problem) => `${problem.path}: ${problem.message}`).join('\n  ')
  return new ToolsmithError('DECLARATION_INVALID', `The tool cannot be declared so:\n  ${list}`, {
    field: problems[0]?.path,
    details: problems.map(({ path, message }) => ({ path, message })),
  })
}

function freezeAll<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freezeAll)
    Object.freeze(value)
  }
  return value
}
