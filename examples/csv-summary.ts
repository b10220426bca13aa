// Reads a text of comma-separated values (RFC 4180) and says of each column what is in it.
import { createTool, ToolsmithError } from 'toolsmith'

interface Column {
  name: string
  /** Rows with a value, and without. */
  values: number
  empty: number
  /** Only where every value is a number. */
  sum?: number
  mean?: number
  least?: number
  most?: number
}

export const csvSummary = createTool({
  name: 'csv-summary',
  title: 'Summary of a table',
  description: 'Reads a table as CSV with a line of names at its top. Gives the number of rows, and of each column how many values it has and, where all are numbers, their sum, mean, least and most.',
  parameters: {
    type: 'object',
    properties: {
      csv: { type: 'string', minLength: 1, maxLength: 60_000, description: 'The table. Values with separators, quotes or line breaks stand in double quotes.' },
      separator: { type: 'string', enum: [',', ';', '\t', '|'], default: ',', description: 'What stands between two values.' },
    },
    required: ['csv'],
    additionalProperties: false,
  } as const,
  result: {
    type: 'object',
    properties: {
      rows: { type: 'integer' },
      columns: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            values: { type: 'integer' },
            empty: { type: 'integer' },
            sum: { type: 'number' },
            mean: { type: 'number' },
            least: { type: 'number' },
            most: { type: 'number' },
          },
          required: ['name', 'values', 'empty'],
        },
      },
    },
    required: ['rows', 'columns'],
  } as const,
  function({ csv, separator }) {
    const [names, ...rows] = parse(csv, separator)
    if (names === undefined) throw new ToolsmithError('CSV_EMPTY', 'The table has no line of names.')
    const uneven = rows.findIndex((row) => row.length !== names.length)
    if (uneven >= 0) {
      throw new ToolsmithError('CSV_UNEVEN', `Row ${uneven + 1} has ${rows[uneven]?.length} values, and there are ${names.length} columns.`)
    }
    return { rows: rows.length, columns: names.map((name, i) => summary(name, rows.map((row) => row[i] as string))) }
  },
})

/** Splits a table into rows of values. Lines end with a line feed, with or without a carriage return. */
function parse(csv: string, separator: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const boundary = new RegExp(`[${separator}]|\\r?\\n|$`, 'g')
  for (let at = csv.startsWith('\ufeff') ? 1 : 0; at < csv.length || row.length > 0; ) {
    let value = ''
    if (csv[at] === '"') {
      const end = endOfQuotes(csv, at)
      value = csv.slice(at + 1, end).replaceAll('""', '"')
      at = end + 1
    }
    boundary.lastIndex = at
    const { index, 0: found } = boundary.exec(csv) as RegExpExecArray // at the end there is one for sure
    row.push(value + csv.slice(at, index))
    at = index + found.length
    if (found === separator) continue
    if (row.length > 1 || row[0] !== '') rows.push(row) // an empty line is none
    row = []
  }
  return rows
}

/** Where the quotes close that open at a place; two of them within are one that does not. */
function endOfQuotes(csv: string, from: number): number {
  for (let at = csv.indexOf('"', from + 1); at >= 0; at = csv.indexOf('"', at + 2)) {
    if (csv[at + 1] !== '"') return at
  }
  throw new ToolsmithError('CSV_QUOTES', `The quotes that open in line ${csv.slice(0, from).split('\n').length} are never closed.`)
}

function summary(name: string, values: readonly string[]): Column {
  const given = values.map((value) => value.trim()).filter((value) => value !== '')
  const column: Column = { name, values: given.length, empty: values.length - given.length }
  const numbers = given.filter((value) => /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(value)).map(Number)
  if (given.length === 0 || numbers.length < given.length) return column
  const sum = numbers.reduce((a, b) => a + b, 0)
  // 15 digits are what numbers hold for sure, so that 0.1 + 0.2 is 0.3.
  const rounded = (n: number): number => Number(n.toPrecision(15))
  return { ...column, sum: rounded(sum), mean: rounded(sum / numbers.length), least: Math.min(...numbers), most: Math.max(...numbers) }
}
