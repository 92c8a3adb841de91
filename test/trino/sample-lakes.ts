import fc from 'fast-check'
import { EXPOSURE_EVENT } from '#schemas/experiments'
import type { EventsRecord } from '#test/support/build-lake'
import { history, NOW, recordsOf } from '#test/support/random-history'
import { withSources } from '#test/support/random-sources'

const DAY = 86_400_000

/**
 * The content and compaction of a lake, and parameters for its reports in addition to those that all lakes
 * get.
 */
export type SampleLake = {
  name: string
  epochs: EventsRecord[][][]
  compacted: number
  mergeEnds: number[]
  since: string[]
  limit: number
  filter: { event?: string; user_id?: string; session_id?: string }
  /** Keys of files without ADDED_COLUMNS. */
  isOld?: (key: string) => boolean
}

/** One column that the service fills and one that holds a property. */
export const ADDED_COLUMNS = ['country', 'path'] as const

/** Small lakes with odd texts, nulls, equal timestamps and copies. The same seed gives the same lakes. */
export function randomLakes(seed: number, count: number): SampleLake[] {
  return fc
    .sample(withSources(history), { seed, numRuns: count })
    .map(({ epochs, compacted, mergeEnds, since, limit, filter }, i) => ({
      name: `random_${i + 1}`,
      epochs: recordsOf({ epochs }).epochs,
      compacted,
      mergeEnds,
      since,
      limit,
      filter,
    }))
}

/**
 * Arrival of each epoch, in days before now. The first two are a merged segment, the third is one, two are
 * hot.
 */
const ARRIVALS = [52, 30, 15, 4, 0]

/**
 * A lake with more names, countries and days than a response lists or a mask holds, sessions in several
 * epochs and segments, users that change within a session, copies of events within an epoch and in other
 * epochs, and newest sessions with one start.
 */
export function wideLake(): SampleLake {
  let seq = 1
  const epochs = ARRIVALS.map((daysAgo, epoch) =>
    [0, 1].map(file =>
      Array.from({ length: 60 }, (_, i): EventsRecord => {
        const n = epoch * 120 + file * 60 + i
        const received = NOW - daysAgo * DAY - i * 1_000
        const events = [0, 1, 2].map(k => ({
          ...((n + k) % 7 === 0 ? exposure(n) : visit(n, k)),
          user_id: n % 5 === 0 && k === 0 ? null : `user ${(n * 13 + (k === 2 ? 1 : 0)) % 47}`,
          session_id: n % 6 === 0 ? null : `session ${(n * 17) % 83}`,
          event_id: n % 7 === 0 ? `id ${n % 35} ${k}` : null,
          timestamp: received - ((n * 3 + k) % 16) * DAY - k * 77,
        }))
        const country = n % 11 === 0 ? null : `${'ABCDEF'[n % 6]}${'KLMNO'[n % 5]}`
        const record: EventsRecord = {
          kind: 'events',
          project_id: n % 8 === 0 ? 'proj_b' : 'proj_a',
          account_id: 'acc_1',
          bucket: 7,
          received_at: received,
          seq,
          country,
          events,
        }
        seq += events.length
        return record
      }),
    ),
  )
  epochs.at(-1)?.push([tiedSessions(seq)])
  return {
    name: 'wide',
    epochs,
    compacted: 4,
    mergeEnds: [3],
    since: ['60d', '3d'],
    limit: 70,
    filter: { user_id: 'user 3' },
  }
}

/** Sessions with the same start. A list of fewer of them has those with the lowest or highest ids. */
function tiedSessions(seq: number): EventsRecord {
  const events = [0, 1, 2].map(n => ({
    event: 'page_view',
    properties: { path: '/p/1' },
    user_id: `user ${n}`,
    session_id: `tied ${n}`,
    event_id: null,
    timestamp: NOW,
  }))
  return {
    ...{ kind: 'events' as const, project_id: 'proj_a', account_id: 'acc_1', bucket: 7 },
    ...{ received_at: NOW, seq, country: null, events },
  }
}

function visit(n: number, k: number) {
  return {
    event: (n + k) % 3 === 0 ? 'page_view' : `event ${(n * 7 + k) % 31}`,
    properties: n % 4 === 0 ? null : { path: `/p/${n % 9}`, session_count: n, plan: ['a', { b: n }] },
  }
}

function exposure(n: number) {
  const variant = ['control', 'blue', 'red', '7', 7][n % 5]
  return {
    event: EXPOSURE_EVENT,
    properties: { experiment: 'cta', variant, ...(n % 9 === 0 && { forced: true }) },
  }
}

/**
 * The wide lake, but the columns ADDED_COLUMNS were added after some hot files and segments had been written.
 */
export function lakeWithAddedColumns(): SampleLake {
  const oldFiles = [
    /^hot\/epoch=[14]\//,
    /^segments\/.*\/1-2-0-0\.parquet$/,
    /^segments\/.*\/3-4-0-0\.parquet$/,
  ]
  return { ...wideLake(), name: 'added_columns', isOld: key => oldFiles.some(pattern => pattern.test(key)) }
}
