import fc from 'fast-check'
import type { EventsRecord } from '#test/support/lake-builder'
import { history, NOW, recordsOf } from '#test/support/random-history'

const DAY = 86_400_000

/** What a lake holds and how far it is compacted, and what to ask of it beside the questions asked of every one. */
export type SampleLake = {
  name: string
  epochs: EventsRecord[][][]
  warm: number
  rolls: number[]
  since: string[]
  limit: number
  filter: { event?: string; user_id?: string; session_id?: string }
}

/** Small lakes of odd texts, nulls, ties and copies; the same for the same seed. */
export function randomLakes(seed: number, count: number): SampleLake[] {
  return fc.sample(history, { seed, numRuns: count }).map((given, i) => ({
    name: `random_${i + 1}`,
    epochs: recordsOf(given).epochs,
    warm: given.warm,
    rolls: given.rolls,
    since: given.since,
    limit: given.limit,
    filter: given.filter,
  }))
}

/** Days before now on which an epoch's events arrive: two rolls of cold, a warm epoch, two hot ones. */
const ARRIVALS = [52, 30, 15, 4, 0]

/**
 * More names, countries and days than an answer shows or a mask holds, sessions over several epochs and rolls, users
 * who change within a session, and copies of an event_id within an epoch and beyond it.
 */
export function wideLake(): SampleLake {
  let seq = 1
  const epochs = ARRIVALS.map((daysAgo, epoch) =>
    [0, 1].map(file =>
      Array.from({ length: 60 }, (_, i): EventsRecord => {
        const n = epoch * 120 + file * 60 + i
        const received = NOW - daysAgo * DAY - i * 1_000
        const events = [0, 1, 2].map(k => ({
          event: (n + k) % 3 === 0 ? 'page_view' : `event ${(n * 7 + k) % 31}`,
          properties: n % 4 === 0 ? null : { path: `/p/${n % 9}`, session_count: n, plan: ['a', { b: n }] },
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
  return {
    name: 'wide',
    epochs,
    warm: 4,
    rolls: [2, 3],
    since: ['60d', '3d'],
    limit: 70,
    filter: { user_id: 'user 3' },
  }
}
