import type { CaveatCode, Caveats } from '#schemas/caveats'
import type { McpChart } from '#schemas/mcp-tables'
import type { Receipt } from '#schemas/read-options'

/** Who is counted in every report (docs/api/numbers.md). */
export const EVERYBODY = 'everybody but bots; linked ids of one person count once'

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
}

export function range({ from, to, tz }: { from: string; to: string; tz?: string | undefined }): string {
  return `${from} to ${to}${tz === undefined ? '' : ` (${tz})`}`
}

/** A rate from 0 to 1. */
export function percent(rate: number): string {
  return `${(rate * 100).toFixed(1)}%`
}

/** A moment that a model can read, from Unix ms. */
export function moment(at: unknown): string {
  return new Date(Number(at)).toISOString().replace('.000Z', 'Z')
}

/** A table of objects with the same fields. */
export function tableOf<Row extends object>(
  name: string,
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[],
  total?: number,
  chart?: McpChart,
) {
  const cells = rows.map(row => columns.map(column => cellOf(row[column])))
  return { name, columns, rows: cells, total, chart }
}

function cellOf(value: unknown) {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value)
  return (value ?? null) as string | number | boolean | null
}

export type Read = {
  warnings?: readonly string[] | undefined
  caveats?: Caveats | string[] | undefined
  receipt?: Receipt | undefined
  truncated?: boolean | undefined
  previous?: { period: unknown; truncated?: boolean | undefined } | undefined
}

/** What one or more reads say beside their numbers. */
export function notesOf(...reads: readonly Read[]) {
  return {
    warnings: reads.flatMap(read => [
      ...(read.warnings ?? []),
      // A warning says the same as its caveat, and a cut list says so itself.
      ...codedCaveats(read)
        .filter(({ code, message }) => code !== 'CUT' && !read.warnings?.includes(message))
        .map(({ message }) => message),
    ]),
    receipts: reads.map(
      ({ receipt, truncated, previous }) =>
        receipt && { ...receipt, cut: truncated === true || previous?.truncated === true },
    ),
  }
}

/** Whether a response says that its numbers may be misread for this reason. */
export function hasCaveat(read: object, code: CaveatCode): boolean {
  return codedCaveats(read).some(caveat => caveat.code === code)
}

function codedCaveats({ caveats = [] }: Pick<Read, 'caveats'>): Caveats {
  return caveats.filter(caveat => typeof caveat !== 'string')
}
