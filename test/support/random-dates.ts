import fc from 'fast-check'

/** The dates of a range, by `since` and `until`; half of the ranges end now. */
export function randomDates(...since: readonly [string, ...string[]]): fc.Arbitrary<Dates> {
  return fc
    .record({
      since: fc.constantFrom(...since),
      until: fc.constantFrom(undefined, undefined, undefined, '0d', '1d', '7d'),
    })
    .map(({ since: first, until }) => ({
      since: first,
      ...(until !== undefined && Number.parseInt(until, 10) <= Number.parseInt(first, 10) && { until }),
    }))
}

export type Dates = { since: string; until?: string }
