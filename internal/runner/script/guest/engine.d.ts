// What the engine has beyond the libraries that TypeScript knows, as far as it is used here.

/**
 * Calls the host, which answers at once. Errors of the host end the whole sandbox, so none of them arrives
 * here; it throws for arguments that are longer than 16 MiB.
 */
declare var __host: (name: string, ...args: string[]) => string
/** What the host can call. It is taken away once the realm is made. */
declare var __entry: { readonly [name: string]: ((...args: string[]) => string) | ((value: unknown) => string) }

interface Uint8Array {
  toBase64(): string
}
interface Uint8ArrayConstructor {
  fromBase64(text: string): Uint8Array<ArrayBuffer>
}

declare function atob(text: string): string
declare function btoa(text: string): string
declare function escape(text: string): string
declare function unescape(text: string): string

declare class DOMException extends Error {
  constructor(message?: string, name?: string)
  readonly code: number
}
