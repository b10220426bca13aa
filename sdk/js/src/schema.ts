import type { Json } from './json.ts'

/** The kinds of values that JSON Schema knows. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * A JSON Schema (draft 2020-12). It is the one description of a tool's arguments: validation,
 * defaults, forms and the view of models all come from it.
 */
export interface JsonSchema {
  readonly type?: TypeName | readonly TypeName[]
  readonly description?: string
  readonly properties?: { readonly [name: string]: JsonSchema | boolean }
  readonly required?: readonly string[]
  readonly additionalProperties?: JsonSchema | boolean
  readonly items?: JsonSchema | boolean
  readonly enum?: readonly Json[]
  readonly const?: Json
  readonly default?: Json
  readonly [keyword: string]: unknown
}

/** The schema of arguments: always of an object. */
export interface ObjectSchema extends JsonSchema {
  readonly type: 'object'
}

/**
 * The TypeScript type of the values that fit a schema which was written as a literal: properties,
 * `required`, `enum`, `const`, arrays, nested objects, `anyOf`, `oneOf`, lists of types. A property
 * with a default is always there, since the runtime fills it in. What is not understood is Json.
 */
export type FromSchema<S> = S extends true
  ? Json
  : S extends false
    ? never
    : S extends { readonly const: infer C }
      ? C
      : S extends { readonly enum: readonly (infer E)[] }
        ? E
        : S extends { readonly anyOf: readonly (infer A)[] }
          ? FromSchema<A>
          : S extends { readonly oneOf: readonly (infer O)[] }
            ? FromSchema<O>
            : S extends { readonly type: readonly (infer T)[] }
              ? FromType<T, S>
              : S extends { readonly type: infer T }
                ? FromType<T, S>
                : Json

type FromType<T, S> = T extends 'string'
  ? string
  : T extends 'number' | 'integer'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? FromItems<S>
          : T extends 'object'
            ? FromObject<S>
            : Json

type FromItems<S> = S extends { readonly items: infer I } ? FromSchema<I>[] : Json[]

type FromObject<S> = S extends { readonly properties: infer P }
  ? Simplify<
      { -readonly [K in keyof P as K extends Given<P, S> ? K : never]: FromSchema<P[K]> } & {
        -readonly [K in keyof P as K extends Given<P, S> ? never : K]?: FromSchema<P[K]>
      }
    >
  : S extends { readonly additionalProperties: infer A }
    ? A extends boolean
      ? { [name: string]: Json }
      : { [name: string]: FromSchema<A> }
    : { [name: string]: Json }

/** The names of the properties that a function always finds. */
type Given<P, S> =
  | (S extends { readonly required: readonly (infer R)[] } ? R : never)
  | { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P]

type Simplify<T> = { [K in keyof T]: T[K] }
