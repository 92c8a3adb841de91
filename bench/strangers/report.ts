import { percentile } from '#bench/percentile'
import type { Answers } from './exchange.ts'
import type { Measures } from './neighbours.ts'

export type Result = {
  name: string
  before: Measures
  during: Measures
  /** `yes`, or how it ended. */
  lived: string
  answers: Answers
  /** What was seen beside the neighbours, before and during. */
  witness: readonly [string, string] | null
}

const COLUMNS = [
  'attack',
  'ingestion p50/p99, ms: before → during',
  'times',
  'without 202',
  'freshness p50/p99, s (events)',
  'reads p50/p99, ms',
  'times',
  'failed reads',
  'memory, MB',
  'lived',
] as const

/** The head of the table of results, in Markdown. */
export const HEAD = [row(COLUMNS), row(COLUMNS.map(() => '---'))]

/** A line of the table. `times` is the p99 during the attack as a multiple of the one before. */
export function resultRow({ name, before, during, lived }: Result): string {
  const failed = (measures: Measures) => measures.failedReads
  return row([
    name,
    change(before.ingestion, during.ingestion, milliseconds),
    times(before.ingestion, during.ingestion),
    `${before.refused} → ${during.refused} of ${during.sent}`,
    [before, during]
      .map(({ freshness }) => `${shares(freshness, seconds)} (${freshness.length})`)
      .join(' → '),
    change(before.reads, during.reads, milliseconds),
    times(before.reads, during.reads),
    `${failed(before)} → ${failed(during)} of ${during.asked}`,
    `${before.memoryMb} → ${during.memoryMb}`,
    lived,
  ])
}

/** What the attacker was answered and what else was seen, for one line of text. */
export function resultNotes({ answers, witness }: Result): string {
  const counts = Object.entries(answers).map(
    ([outcome, times]) => `${outcome}: ${times.toLocaleString('en')}`,
  )
  const seen = witness === null ? [] : [`${witness[0]} → ${witness[1].replace(/^.*?: /, '')}`]
  return [`the attacker got ${counts.join(', ') || 'nothing'}`, ...seen].join('; ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function change(before: number[], during: number[], show: (ms: number) => string): string {
  return `${shares(before, show)} → ${shares(during, show)}`
}

function shares(values: number[], show: (ms: number) => string): string {
  return [0.5, 0.99].map(share => show(percentile(values, share))).join('/')
}

function times(before: number[], during: number[]): string {
  const factor = percentile(during, 0.99) / percentile(before, 0.99)
  return Number.isNaN(factor) ? '-' : factor.toFixed(1)
}

/** A dash where nothing was measured. */
function milliseconds(ms: number): string {
  return Number.isNaN(ms) ? '-' : Math.round(ms).toLocaleString('en')
}

function seconds(ms: number): string {
  return Number.isNaN(ms) ? '-' : (ms / 1_000).toFixed(1)
}
