import fc from 'fast-check'
import { NON_INTERACTIVE_EVENTS } from '#schemas/event'
import type { EventsRecord } from './build-lake.ts'
import type { SentEvent } from './oracle/sent-event.ts'

/**
 * Random traffic and a random state of compaction. Values come from small sets, so users, sessions, event_ids
 * and timestamps often collide.
 */

/** A Wednesday afternoon, so that the current hour, day and week are incomplete. */
export const NOW = Date.parse('2026-11-18T15:42:17.123Z')
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Time between two epochs, ms. */
const EPOCH_PAUSE = 1_000

/** Texts of events, and keys of properties that a name has in quotes. */
export const unusualTexts = [
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
  'a.b',
  '*',
  '/~1"',
]
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 4 })

const value = fc.oneof(
  fc.constantFrom<unknown>('x', '', '5', 5, -0.5, 1e300, true, false, null, [], {}, [1, { a: null }]),
  fc.constantFrom(...unusualTexts),
)
const properties = nullable(
  fc
    .dictionary(
      fc.constantFrom(
        'path',
        'url',
        'session_count',
        'days_since_first_visit',
        'plan',
        'properties',
        ...unusualTexts,
      ),
      value,
      { maxKeys: 4 },
    )
    .map(dictionary => ({ ...dictionary })),
)

const item = fc.record({
  event: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...NON_INTERACTIVE_EVENTS.slice(0, 3)) },
    { weight: 2, arbitrary: fc.constantFrom('signup', 'buy') },
    { weight: 1, arbitrary: fc.constantFrom(...unusualTexts.filter(text => text !== '')) },
  ),
  properties,
  user_id: nullable(fc.constantFrom('u1', 'u2', 'u3', ...unusualTexts)),
  session_id: nullable(fc.constantFrom('s1', 's2', 's3', 's4', '')),
  event_id: fc.option(fc.constantFrom('e1', 'e2', 'e3', 'e4'), { nil: null, freq: 2 }),
  /** Time from the event to its arrival, ms. There are few values, so that some timestamps are equal. */
  lag: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(0, 1000, -HOUR / 12, HOUR) },
    { weight: 2, arbitrary: fc.integer({ min: 0, max: 30 }).map(days => days * DAY) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 30 * DAY }) },
  ),
})

const request = fc.record(
  {
    project: fc.constantFrom('proj_a', 'proj_a', 'proj_b'),
    country: nullable(fc.constantFrom('DE', 'FR', 'US')),
    credentialed: fc.constant(true as const),
    /** Number of the hot file in its epoch. */
    file: fc.nat(2),
    /**
     * Time since the previous request, ms. All pauses together are less than a day, so copies of an event_id
     * cannot form a chain that is longer than the dedupe look-back.
     */
    pause: fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(0, 0, 1, 1000) },
      { weight: 1, arbitrary: fc.integer({ min: 0, max: HOUR / 2 }) },
    ),
    items: fc.array(item, { minLength: 1, maxLength: 5 }),
  },
  { requiredKeys: ['project', 'country', 'file', 'pause', 'items'] },
)

const epochs = fc.array(
  fc.record({
    /** Days between the end of the previous epoch and the start of this one. */
    gap: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(2, 9) }),
    requests: fc.array(request, { maxLength: 6 }),
  }),
  { minLength: 1, maxLength: 6 },
)

export type Epochs = typeof epochs extends fc.Arbitrary<infer T> ? T : never

/** The epochs in a random state of compaction, and parameters of reports. */
export function withCompaction(arbitrary: fc.Arbitrary<Epochs>) {
  return arbitrary
    .chain(randomEpochs =>
      fc.record({
        epochs: fc.constant(randomEpochs),
        /** Epochs below this one are in segments. With 1 all are hot, with the largest one none is. */
        compacted: fc.integer({ min: 1, max: randomEpochs.length + 1 }),
        cuts: fc.array(fc.nat(100), { maxLength: 3 }),
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
    .map(({ cuts, ...parts }) => ({ ...parts, mergeEnds: mergeEndsOf(parts.compacted, cuts) }))
}

export const history = withCompaction(epochs)

export type History = typeof history extends fc.Arbitrary<infer T> ? T : never

/** Returns the ends of merged segments, ascending. Without any, each segment has one epoch. */
function mergeEndsOf(compacted: number, cuts: readonly number[]): number[] {
  if (compacted === 1) return []
  const ends = cuts.map(cut => 2 + (cut % (compacted - 1)))
  return [...new Set(ends)].toSorted((a, b) => a - b)
}

/** Returns the records by epoch and hot file, and the events in the order of their arrival. */
export function recordsOf({ epochs }: Pick<History, 'epochs'>): {
  epochs: EventsRecord[][][]
  sent: SentEvent[]
} {
  // The last request arrives at NOW, so the first one arrives at NOW minus all pauses.
  const total = epochs.reduce(
    (sum, { gap, requests }) =>
      sum + gap * DAY + EPOCH_PAUSE + requests.reduce((all, { pause }) => all + pause, 0),
    0,
  )
  let arrived = NOW - total
  let seq = 1000
  const sent: SentEvent[] = []
  const recordsByEpoch = epochs.map(({ gap, requests }) => {
    // Epochs begin in seconds of their own. Fragments of a session whose events happened in the same
    // millisecond and arrived in the same second have no order if they are in different segments
    // (core/lake/read/session-fragments.ts).
    arrived += gap * DAY + EPOCH_PAUSE
    const files: EventsRecord[][] = [[], [], []]
    for (const { project, country, credentialed, file, pause, items } of requests) {
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
        ...(credentialed === true && { credentialed }),
      })
      for (const event of events) {
        sent.push({
          ...event,
          project_id: project,
          country,
          received_at: arrived,
          seq,
          credentialed: credentialed === true,
        })
        seq++
      }
    }
    return files.filter(records => records.length > 0)
  })
  return { epochs: recordsByEpoch, sent }
}
