import type { Range } from '#core/time'
import { CAVEATS, type CaveatCode, type Caveats } from '#schemas/caveats'
import type { ReadNotes } from './notes.ts'
import type { Zone } from './zone.ts'

/** Says why numbers may be misread, to programs by the code and to people by a warning of the same words. */
export function warnOf(notes: ReadNotes, code: CaveatCode, message: string): void {
  notes.warnings.add(message)
  notes.caveats.set(code, message)
}

/**
 * The field `caveats` of a response; nothing without any. The caveats of /funnel are texts in the
 * specification: there each one begins with its code.
 */
export function caveatsField(
  { caveats }: Pick<ReadNotes, 'caveats'>,
  body: { caveats?: unknown },
): { caveats?: Caveats | string[] } {
  if (Array.isArray(body.caveats) && caveats.size > 0)
    return { caveats: [...body.caveats, ...[...caveats].map(([code, message]) => `${code}: ${message}`)] }
  return caveatsOf({ caveats })
}

/** The same as objects, for a body without texts of its own. */
export function caveatsOf({ caveats }: Pick<ReadNotes, 'caveats'>): { caveats?: Caveats } {
  if (caveats.size === 0) return {}
  return { caveats: [...caveats].map(([code, message]) => ({ code, effect: CAVEATS[code], message })) }
}

/** What of a body has a number for each interval. */
type Intervals = { timeSeries?: unknown[]; rows?: Record<string, unknown>[] }

/** What a read asks for: its parameters, and the range and zone that they mean. */
type Asked = { params: object; range: Range; now: number; zone: Zone; notes: ReadNotes }

/** Notes that the first or last interval of a response is not whole. */
export function noteIntervals(body: Intervals, { params, range, now, zone, notes }: Asked): void {
  const { timeSeries = [], rows = [] } = body
  const [first, last] = [zone.dateOf(range.from), zone.dateOf(now)]
  const has = (date: string) => timeSeries.length > 0 || rows.some(row => row.date === date)
  if (range.to > now && has(last))
    notes.caveats.set(
      'RUNNING_INTERVAL',
      `The interval with ${last} is still running. Compare it with no whole one, or send \`until\` of the day before.`,
    )
  const isHourly = 'groupBy' in params && params.groupBy === 'hour'
  if (!isHourly && range.from !== zone.startOf(first) && has(first))
    notes.caveats.set(
      'PARTIAL_FIRST_DAY',
      `The range begins within ${first}, so the first interval is not whole.`,
    )
}
