import fc from 'fast-check'
import { type Epochs, withCompaction } from './random-history.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

/**
 * Random traffic whose events come in order, so that funnels convert, sessions walk over pages and users
 * return: few users and sessions, few event names, many equal timestamps, few late events.
 */
const item = fc.record({
  event: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom('page_view', 'signup', 'buy') },
    { weight: 1, arbitrary: fc.constantFrom('$scroll_depth', '$click', "o'brien") },
  ),
  properties: fc.option(
    fc
      .record(
        {
          path: fc.constantFrom<unknown>('/', '/a', '/b', '/a', '', 7),
          url: fc.constantFrom<unknown>('https://x/u', '/a'),
          plan: fc.constantFrom<unknown>('pro', 'free', 'Pro+', 5, '5', 10, true, null, ['a']),
          session_count: fc.constantFrom<unknown>(1, 2, 2.5),
        },
        { requiredKeys: [] },
      )
      .map((properties): Record<string, unknown> => ({ ...properties })),
    { nil: null, freq: 8 },
  ),
  user_id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('u1', 'u2', 'u3') },
    { weight: 1, arbitrary: fc.constantFrom(null, 'é', '') },
  ),
  session_id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('s1', 's2', 's3', 's4') },
    { weight: 1, arbitrary: fc.constantFrom(null, '') },
  ),
  event_id: fc.option(fc.constantFrom('e1', 'e2', 'e3'), { nil: null, freq: 2 }),
  lag: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(0, 0, 0, 1_000, HOUR) },
    { weight: 1, arbitrary: fc.constantFrom(DAY, 7 * DAY, 29 * DAY) },
  ),
})

const request = fc.record({
  project: fc.constantFrom('proj_a', 'proj_a', 'proj_a', 'proj_b'),
  country: fc.constantFrom('DE', 'FR', null),
  file: fc.nat(2),
  pause: fc.constantFrom(0, 1, 1_000, HOUR / 2, HOUR),
  items: fc.array(item, { minLength: 3, maxLength: 8 }),
})

const epochs: fc.Arbitrary<Epochs> = fc.array(
  fc.record({
    gap: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(2, 9) }),
    requests: fc.array(request, { minLength: 1, maxLength: 6 }),
  }),
  { minLength: 2, maxLength: 4 },
)

/** Pauses of an epoch add up to 6 hours at most, so copies of an event_id make no chain over a day. */
export const orderedHistory = withCompaction(epochs)
