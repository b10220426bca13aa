import type { Json } from './json.ts'

/** What a failure looks like on the wire and in an `error` task. */
export interface ErrorData {
  /** Upper case; programs can rely on it. */
  readonly code: string
  /** For people: what is wrong, where, and what to do. */
  readonly message: string
  /** The part of the input that is meant, such as `$.text`. */
  readonly field?: string
  /** More about it. */
  readonly details?: Json
}

/** What a {@link ToolsmithError} has beside its code and message. */
export interface ErrorOptions {
  readonly field?: string | undefined
  readonly details?: Json | undefined
  /** The run that failed, where there is one. */
  readonly runId?: string | undefined
  readonly cause?: unknown
}

/**
 * A failure with a code. Throw one in the function of a tool to give its failure a code of its
 * own; everything else that is thrown gets the code TOOL_FAILED.
 */
export class ToolsmithError extends Error {
  override readonly name = 'ToolsmithError'
  readonly code: string
  readonly field: string | undefined
  readonly details: Json | undefined
  readonly runId: string | undefined

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.field = options.field
    this.details = options.details
    this.runId = options.runId
  }
}

// Long enough for any message that a person reads, short enough that an error always fits
// into a message of the port.
const mostOfMessage = 4000
const codeShape = /^[A-Z][A-Z0-9_]{0,63}$/

/** Makes the data of an error from anything that was thrown. A stack is never part of it. */
export function errorData(thrown: unknown): ErrorData {
  if (thrown instanceof ToolsmithError) {
    return {
      code: codeShape.test(thrown.code) ? thrown.code : 'TOOL_FAILED',
      message: shorten(thrown.message),
      ...(thrown.field === undefined ? {} : { field: shorten(thrown.field) }),
      ...(thrown.details === undefined ? {} : { details: thrown.details }),
    }
  }
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
  return { code: 'TOOL_FAILED', message: shorten(text) }
}

function shorten(text: string): string {
  // A lone half of a character is no valid text for the other side.
  const whole = text.replace(/\p{Surrogate}/gu, '\uFFFD')
  return whole.length <= mostOfMessage ? whole : `${whole.slice(0, mostOfMessage).replace(/\p{Surrogate}$/u, '')}…`
}

/** Makes an error from data that came from the other side. */
export function errorFrom(data: ErrorData, runId?: string): ToolsmithError {
  return new ToolsmithError(data.code, data.message, { field: data.field, details: data.details, runId })
}

/** The error of a context method that is not there. */
export function unavailable(method: string, why: string): ToolsmithError {
  return new ToolsmithError('CONTEXT_UNAVAILABLE', `${method} is not available here: ${why}`)
}
