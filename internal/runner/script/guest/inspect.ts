// Values as the log shows them: in short what Node.js would show. No getter is called.

const mostDepth = 3
const mostItems = 100
const mostText = 2000
/** How long one line of the log may get, in characters. */
const mostLine = 8 * 1024
const plainKey = /^[A-Za-z_$][A-Za-z0-9_$]*$/
const dateText = Date.prototype.toISOString
const regexpText = RegExp.prototype.toString
const { getOwnPropertyDescriptor, getPrototypeOf } = Object

interface Look {
  readonly above: object[]
  readonly circles: Map<object, number>
  left: number
}

/** Shows one value. */
export function inspect(value: unknown): string {
  return shorten(show(value, { above: [], circles: new Map(), left: mostLine }), mostLine)
}

/** Puts the arguments of console.log and its like into one line. */
export function format(args: readonly unknown[]): string {
  let [first, ...rest] = args
  const parts: string[] = []
  if (typeof first === 'string' && rest.length > 0) {
    parts.push(
      first.replace(/%[sdifjoOc%]/g, (sign) => {
        if (sign === '%%') return '%'
        if (rest.length === 0) return sign
        const [value, ...others] = rest
        rest = others
        return placed(sign, value)
      }),
    )
  } else if (args.length > 0) {
    rest = [...args]
  }
  for (const value of rest) parts.push(typeof value === 'string' ? value : inspect(value))
  return shorten(parts.join(' '), mostLine)
}

function placed(sign: string, value: unknown): string {
  switch (sign) {
    case '%s':
      return typeof value === 'string' ? value : typeof value === 'bigint' ? `${value}n` : inspect(value)
    case '%d':
      return typeof value === 'bigint' ? `${value}n` : typeof value === 'object' || typeof value === 'symbol' ? 'NaN' : String(Number(value))
    case '%i':
      return typeof value === 'object' || typeof value === 'symbol' ? 'NaN' : String(parseInt(String(value), 10))
    case '%f':
      return typeof value === 'symbol' ? 'NaN' : String(parseFloat(String(value)))
    case '%j':
      try {
        return JSON.stringify(value) ?? 'undefined'
      } catch {
        return '[Circular]'
      }
    case '%c':
      return ''
    default:
      return inspect(value)
  }
}

function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}… ${text.length - most} more characters`
}

function show(value: unknown, look: Look): string {
  switch (typeof value) {
    case 'string':
      return quoted(shorten(value, mostText))
    case 'bigint':
      return `${value}n`
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value)
    case 'function':
      return named(value)
    case 'object':
      if (value === null) return 'null'
      try {
        return showObject(value, look)
      } catch (thrown) {
        // A proxy whose traps throw, or more depth than there is stack.
        if (thrown instanceof TypeError || thrown instanceof RangeError) return '[Object]'
        return '[Object that cannot be shown]'
      }
    default:
      return String(value)
  }
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  if (!escaped.includes("'")) return `'${escaped}'`
  return escaped.includes('"') ? (escaped.includes('`') ? `'${escaped.replaceAll("'", "\\'")}'` : `\`${escaped}\``) : `"${escaped}"`
}

function named(value: Function): string {
  const name = getOwnPropertyDescriptor(value, 'name')?.value as unknown
  const kind = /^class[\s{]/.test(Function.prototype.toString.call(value)) ? 'class' : 'Function'
  const label = typeof name === 'string' && name !== '' ? name : '(anonymous)'
  return kind === 'class' ? `[class ${label}]` : label === '(anonymous)' ? '[Function (anonymous)]' : `[Function: ${label}]`
}

function showObject(value: object, look: Look): string {
  if (look.above.includes(value)) {
    if (!look.circles.has(value)) look.circles.set(value, look.circles.size + 1)
    return `[Circular *${look.circles.get(value)}]`
  }
  const kind = constructorOf(value)
  if (look.above.length >= mostDepth) return Array.isArray(value) ? '[Array]' : `[${kind === '' ? 'Object: null prototype' : kind}]`
  look.above.push(value)
  try {
    const body = showBody(value, kind, look)
    const circle = look.circles.get(value)
    return circle === undefined ? body : `<ref *${circle}> ${body}`
  } finally {
    look.above.pop()
  }
}

function constructorOf(value: object): string {
  for (let at: object | null = getPrototypeOf(value); at !== null; at = getPrototypeOf(at)) {
    const made = getOwnPropertyDescriptor(at, 'constructor')?.value as unknown
    if (typeof made !== 'function') continue
    const name = getOwnPropertyDescriptor(made, 'name')?.value as unknown
    if (typeof name === 'string' && name !== '') return name
  }
  return ''
}

function showBody(value: object, kind: string, look: Look): string {
  if (Array.isArray(value)) {
    return braced(kind === 'Array' ? '' : `${kind}(${value.length}) `, '[', [...items(value, look), ...fields(value, look, isIndex)], ']')
  }
  if (value instanceof Error) return failure(value, look)
  if (value instanceof Date) return Number.isNaN(Date.prototype.getTime.call(value)) ? 'Invalid Date' : dateText.call(value)
  if (value instanceof RegExp) return regexpText.call(value)
  if (value instanceof Map) {
    const list = take([...value], look, ([key, item]) => `${show(key, look)} => ${show(item, look)}`)
    return braced(`${kind}(${value.size}) `, '{', list, '}')
  }
  if (value instanceof Set) return braced(`${kind}(${value.size}) `, '{', take([...value], look, (item) => show(item, look)), '}')
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const list = value as Uint8Array
    return braced(`${kind}(${list.length}) `, '[', take(list, look, (item) => show(item, look)), ']')
  }
  if (value instanceof ArrayBuffer) return `ArrayBuffer { byteLength: ${value.byteLength} }`
  if (value instanceof Promise) return 'Promise {}'
  if (value instanceof Boolean || value instanceof Number || value instanceof String) return `[${kind}: ${show(value.valueOf(), look)}]`
  const prefix = kind === 'Object' ? '' : kind === '' ? '[Object: null prototype] ' : `${kind} `
  return braced(prefix, '{', fields(value, look, () => false), '}')
}

function failure(value: Error, look: Look): string {
  const stack = getOwnPropertyDescriptor(value, 'stack')?.value as unknown
  const name = String(value.name)
  const head = String(value.message) === '' ? name : `${name}: ${String(value.message)}`
  const lines = typeof stack === 'string' ? stack.trimEnd() : ''
  const body = lines === '' ? `[${head}]` : `${head}\n${lines}`
  const more = fields(value, look, (key) => key === 'stack' || key === 'message')
  return more.length === 0 ? body : `${body} { ${more.join(', ')} }`
}

function items(list: readonly unknown[], look: Look): string[] {
  const parts: string[] = []
  let holes = 0
  const gap = (): void => {
    if (holes > 0) parts.push(`<${holes} empty item${holes === 1 ? '' : 's'}>`)
    holes = 0
  }
  const end = Math.min(list.length, mostItems)
  for (let i = 0; i < end && look.left > 0; i++) {
    const found = getOwnPropertyDescriptor(list, i)
    if (found === undefined) {
      holes++
      continue
    }
    gap()
    parts.push(spend(member(found, look), look))
  }
  gap()
  if (list.length > end) parts.push(`... ${list.length - end} more items`)
  return parts
}

function take<T>(list: Iterable<T> & { readonly length: number }, look: Look, each: (item: T) => string): string[] {
  const parts: string[] = []
  for (const item of list) {
    if (parts.length >= mostItems || look.left <= 0) {
      parts.push(`... ${list.length - parts.length} more items`)
      break
    }
    parts.push(spend(each(item), look))
  }
  return parts
}

const isIndex = (key: PropertyKey): boolean => typeof key === 'string' && /^(0|[1-9][0-9]*)$/.test(key)

function fields(value: object, look: Look, leave: (key: PropertyKey) => boolean): string[] {
  const parts: string[] = []
  for (const key of Reflect.ownKeys(value)) {
    const found = getOwnPropertyDescriptor(value, key)
    if (found === undefined || found.enumerable !== true || leave(key)) continue
    if (parts.length >= mostItems || look.left <= 0) {
      parts.push('...')
      break
    }
    const name = typeof key === 'symbol' ? `[${String(key)}]` : plainKey.test(key) ? key : quoted(key)
    parts.push(spend(`${name}: ${member(found, look)}`, look))
  }
  return parts
}

function member(found: PropertyDescriptor, look: Look): string {
  if (found.get !== undefined) return found.set !== undefined ? '[Getter/Setter]' : '[Getter]'
  return found.set !== undefined ? '[Setter]' : show(found.value, look)
}

function spend(text: string, look: Look): string {
  look.left -= text.length
  return text
}

function braced(prefix: string, open: string, parts: readonly string[], close: string): string {
  if (parts.length === 0) return `${prefix}${open}${close}`
  const line = `${prefix}${open} ${parts.join(', ')} ${close}`
  if (line.length <= 76 && !line.includes('\n')) return line
  return `${prefix}${open}\n  ${parts.join(',\n').replaceAll('\n', '\n  ')}\n${close}`
}
