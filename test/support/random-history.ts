import fc from 'fast-check'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import type { EventsRecord } from './build-lake.ts'
import type { SentEvent } from './oracle.ts'

/**
 * Random traffic from small domains, so that users, sessions, event_ids and timestamps collide, and a random state of
 * compaction to read it in.
 */

/** Wednesday afternoon: weeks and hours are cut in the middle. */
export const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR

const odd = [
  'a',
  'A',
  'é',
  '\u{1F600}',
  '\uFFFD',
  '\uE000',
  '\uFEFFa',
  "o'brien",
  '',
  '%',
  '\\',
  'a\u0000b',
  '__proto__',
]
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 })

const value = fc.oneof(
  fc.constantFrom<unknown>('x', '', '5', 5, -0.5, 1e300, true, false, null, [], {}, [1, { a: null }]),
  fc.constantFrom(...odd),
)
const properties = nullable(
  fc
    .dictionary(
      fc.constantFrom('path', 'url', 'session_count', 'days_since_first_visit', 'plan', 'properties', ...odd),
      value,
      { maxKeys: 4 },
    )
    .map(found => ({ ...found })),
)

const item = fc.record({
  event: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NON_INTERACTIVE_EVENTS.slice(0, 3)) },
    { weight: 2, arbitrary: fc.constantFrom('signup', 'buy') },
    { weight: 1, arbitrary: fc.constantFrom(...odd.filter(text => text !== '')) },
  ),
  properties,
  user_id: nullable(fc.constantFrom('u1', 'u2', 'u3', ...odd)),
  session_id: nullable(fc.constantFrom('s1', 's2', 's3', 's4', '')),
  event_id: fc.option(fc.constantFrom('e1', 'e2', 'e3', 'e4'), { nil: null, freq: 2 }),
  /** How long before its arrival it happened, ms; few values, so that timestamps are equal. */
  lag: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(0, 1000, -HOUR / 12, HOUR) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 30 }).map(days => days * DAY) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 * DAY }) },
  ),
})

const request = fc.record({
  project: fc.constantFrom('proj_a', 'proj_a', 'proj_b'),
  country: nullable(fc.constantFrom('DE', 'FR', 'US')),
  /** Hot file within the epoch. */
  file: fc.nat(2),
  /** ms since the request before it: less than a day in all, so that copies of an event_id make no chain over it. */
  pause: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 0, 1, 1000) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: HOUR / 2 }) },
  ),
  items: fc.array(item, { minLength: 1, maxLength: 5 }),
})

const epochs = fc.array(
  fc.record({
    /** Days that pass before the epoch begins. */
    gap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(2, 9) }),
    requests: fc.array(request, { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 6 },
)

export type Epochs = typeof epochs extends fc.Arbitrary<infer T> ? T : never

/** The epochs in a random state of compaction, and parameters of reports. */
export function withCompaction(arbitrary: fc.Arbitrary<Epochs>) {
  return arbitrary
    .chain(found =>
      fc.record({
        epochs: fc.constant(found),
        /** Epochs below are warm or cold. */
        warm: fc.integer({ min: 1, max: found.length }),
        cuts: fc.tuple(fc.nat(100), fc.nat(100)),
        since: fc.uniqueArray(
          fc.constantFrom(
            '0d',
            '1d',
            '7d',
            '30d',
            '60d',
            '2026-07-01',
            '2026-11-17',
            '2026-11-18',
            '2026-10-31T13:00:00Z',
          ),
          { minLength: 1, maxLength: 2 },
        ),
        limit: fc.constantFrom(1, 2, 3, 7, 1000),
        filter: fc.constantFrom<{ event?: string; user_id?: string; session_id?: string }>(
          {},
          {},
          { event: 'page_view' },
          { user_id: 'u1' },
          { session_id: 's1', event: 'signup' },
          { user_id: "o'brien" },
        ),
      }),
    )
    .map(given => ({ ...given, rolls: coldCompactionsOf(given) }))
}

export const history = withCompaction(epochs)

export type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** One or two rolls, up to the last epoch that ended more than a day before the newest arrival, as maintenance does. */
function coldCompactionsOf({
  epochs,
  warm,
  cuts,
}: {
  epochs: { gap: number }[]
  warm: number
  cuts: number[]
}): number[] {
  let last = 1
  for (let epoch = 2; epoch <= warm; epoch++) {
    // Epoch `epoch` begins a day or more after the end of the one before: what is before may be cold.
    if ((epochs[epoch - 1]?.gap ?? 0) >= 2) last = epoch
  }
  return [...new Set(cuts.map(cut => 1 + (cut % last)))].filter(until => until > 1).sort((a, b) => a - b)
}

/** The records of each hot file of each epoch, and the events in their order of arrival. */
export function recordsOf({ epochs }: Pick<History, 'epochs'>): {
  epochs: EventsRecord[][][]
  sent: SentEvent[]
} {
  // The last request arrives now or a little before, so time is counted back from there.
  const total = epochs.reduce(
    (sum, { gap, requests }) => sum + gap * DAY + requests.reduce((all, { pause }) => all + pause, 0),
    0,
  )
  let arrived = NOW - total
  let seq = 1000
  const sent: SentEvent[] = []
  const built = epochs.map(({ gap, requests }) => {
    arrived += gap * DAY
    const files: EventsRecord[][] = [[], [], []]
    for (const { project, country, file, pause, items } of requests) {
      arrived += pause
      const events = items.map(({ lag, ...event }) => ({ ...event, timestamp: arrived - lag }))
      files[file]?.push({
        kind: 'events',
        project_id: project,
        account_id: 'acc_1',
        bucket: 7,
        received_at: arrived,
        seq,
        country,
        events,
      })
      for (const event of events) {
        sent.push({ ...event, project_id: project, country, received_at: arrived, seq })
        seq++
      }
    }
    return files.filter(records => records.length > 0)
  })
  return { epochs: built, sent }
}
