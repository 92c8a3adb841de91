import { cleanText } from '#core/text/clean-text'
import { isTrackerProperty } from '#schemas/columns'
import { NEW } from '#schemas/shown-change'
import type { Cell, Format } from './blocks.ts'

/** Longest text of a cell, code points; the terminal cuts it further. */
const MAX_CELL_CHARS = 400

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const formats: Record<Format, (value: Cell) => string> = {
  text: value => (typeof value === 'object' ? JSON.stringify(value) : String(value)),
  json: value => JSON.stringify(value),
  own: ownProperties,
  count: value => grouped(Number(value)),
  number: value => grouped(Number(value)),
  rate: value => `${trimmed(Number(value) * 100)} %`,
  percent: value => `${trimmed(Number(value))} %`,
  duration: value => duration(Number(value)),
  time: value => moment(Number(value)),
  address: value => String(value),
  id: value => String(value),
}

/**
 * A value as a person reads it, on one line and without characters that would change the terminal. Nothing:
 * `-`.
 */
export function formatted(value: Cell, as: Format = 'text'): string {
  if (value === null || value === undefined || value === '') return '-'
  // An address for a human may hold what has the form of a secret, and must stay whole to work.
  if (as === 'address' && URL.canParse(String(value))) return new URL(String(value)).href
  const shown = typeof value === 'string' && as !== 'json' ? value : formats[as](value)
  return cleanText(shown, MAX_CELL_CHARS)
}

/** The properties of an event without those that the tracker adds to every event: `plan=pro seats=3`. */
function ownProperties(value: Cell): string {
  const pairs = Object.entries(value as object).filter(
    ([key, each]) => !isTrackerProperty(key) && each !== null,
  )
  return (
    pairs
      .map(([key, each]) => `${key}=${typeof each === 'string' ? each : JSON.stringify(each)}`)
      .join(' ') || '-'
  )
}

/** Whether values of the format stand at the right end of their column. */
export function isNumeric(as: Format | undefined): boolean {
  return as !== undefined && ['count', 'number', 'rate', 'percent', 'duration'].includes(as)
}

/** A change in words, because a colour alone says nothing in a pipe or to a person who does not see it. */
export function changeWords(change: number, changePct: number | null | typeof NEW): string {
  if (change === 0) return '= same'
  const arrow = change > 0 ? '▲ up' : '▼ down'
  if (changePct === null) return `${arrow} from 0`
  if (changePct === NEW) return `${arrow}, ${NEW}`
  return changePct === 0 ? `${arrow}, under 1 %` : `${arrow} ${grouped(Math.abs(changePct))} %`
}

/** Two units at most: `3m 12s`, `2d 4h`. */
function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '-'
  if (ms < SECOND) return `${Math.round(ms)} ms`
  if (ms < MINUTE) return `${trimmed(ms / SECOND)}s`
  const [big, bigUnit, small, smallUnit] =
    ms < HOUR
      ? ([MINUTE, 'm', SECOND, 's'] as const)
      : ms < DAY
        ? ([HOUR, 'h', MINUTE, 'm'] as const)
        : ([DAY, 'd', HOUR, 'h'] as const)
  return `${Math.floor(ms / big)}${bigUnit} ${Math.floor((ms % big) / small)}${smallUnit}`
}

/** UTC, as all dates of the service. */
function moment(ms: number): string {
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? '-' : date.toISOString().slice(0, 19).replace('T', ' ')
}

/** Thousands apart. Intl would take 10 ms of the start. */
function grouped(value: number): string {
  const [whole = '', part] = String(Math.round(value * 1_000) / 1_000).split('.')
  const parted = whole.replace(/\B(?=(\d{3}){1,7}$)/g, ',')
  return part === undefined ? parted : `${parted}.${part}`
}

function trimmed(value: number): string {
  return grouped(Math.round(value * 10) / 10)
}
