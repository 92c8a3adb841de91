import { describe, expect, test } from 'vitest'
import { readProfile } from '#core/plans/profile'
import { withAccount } from '#lib/account-findings'
import { shareConcurrency } from '#lib/concurrency'
import { readConfig } from '#lib/config'
import { synthesize } from './synthesized.ts'

/** How the executions of the account are shared. */

test.each([
  ['not given', {}, { jobs: 4, track: undefined, limits: '' }],
  [
    '10, as of a new account',
    { concurrency: 10 },
    { jobs: 2, track: undefined, limits: 'open_streams=1,guest_streams=0,guest_reads_at_once=2' },
  ],
  ['1,000', { concurrency: 1000 }, { jobs: 4, track: 200, limits: '' }],
  // AWS keeps 100 for functions without a reservation.
  ['120', { concurrency: 120 }, { jobs: 4, track: undefined, limits: '' }],
  ['125', { concurrency: 125 }, { jobs: 4, track: 25, limits: '' }],
  // Eight shards take 16,000 requests a second, which is 400 executions.
  ['1,000 with eight shards', { concurrency: 1000, shards: 8 }, { jobs: 4, track: 400 }],
  ['1,000 with a stream on demand', { concurrency: 1000, streamMode: 'on-demand' }, { track: 500 }],
  [
    '10 with options of their own',
    { concurrency: 10, jobConcurrency: 3, limits: 'open_streams=4' },
    { jobs: 3, track: undefined, limits: 'open_streams=4,guest_streams=0,guest_reads_at_once=2' },
  ],
])(
  'with a concurrency that is %s, ingestion keeps executions, and the others fit',
  (_, context, expected) => {
    expect(shareConcurrency(readConfig(context))).toMatchObject(expected)
  },
)

test('workers, reservation and streams of the template follow the concurrency of the account', () => {
  const read = (context: Record<string, unknown>) => {
    const { lambda, all } = synthesize(context)
    const [, mapping] = all('AWS::Lambda::EventSourceMapping').find(([id]) => id.startsWith('jobs')) ?? []
    const { Variables } = lambda('stream').properties.Environment as { Variables: Record<string, unknown> }
    return [
      mapping?.Properties.ScalingConfig,
      lambda('track').properties.ReservedConcurrentExecutions,
      Variables.LIMITS,
    ]
  }
  expect(read({ concurrency: 10 })).toEqual([
    { MaximumConcurrency: 2 },
    undefined,
    'open_streams=1,guest_streams=0,guest_reads_at_once=2',
  ])
  expect(read({ concurrency: 1000 })).toEqual([{ MaximumConcurrency: 4 }, 200, ''])
})

describe('without the option', () => {
  const facts = { concurrency: 1000, available: 1000, shards: null }
  const shares = (context: Record<string, unknown>, account: Pick<typeof facts, 'available'> | null) =>
    shareConcurrency(readConfig(withAccount(context, account)))

  test.each<[account: string, available: number, track: number | undefined, guests: string]>([
    ['with 1,000', 1_000, 200, ''],
    ['whose other functions have reserved 750', 250, 50, ''],
    ['whose other functions have reserved nearly all', 110, undefined, ''],
    ['that is new', 10, undefined, 'open_streams=1,guest_streams=0,guest_reads_at_once=2'],
  ])('the executions of an account %s are shared', (_, available, track, guests) => {
    expect(shares({}, { ...facts, available })).toMatchObject({ track, limits: guests })
  })

  test('an account that tells nothing reserves nothing, and the option of the deployer comes first', () => {
    expect(shares({}, null).track).toBeUndefined()
    expect(shares({}, { ...facts, available: null as unknown as number }).track).toBeUndefined()
    expect(shares({ concurrency: '500' }, facts).track).toBe(100)
  })

  test.each([10, 125, 1_000])('two links leave executions to ingestion, in an account with %d', available => {
    const { jobs, track, limits } = shares({}, { ...facts, available })
    const profile = readProfile('own', limits, { areReadsBilled: true })
    const background = 3
    const streams = Math.min(profile.open_streams, available < 100 ? 1 : 10)
    const guests = profile.guest_streams + profile.guest_reads_at_once
    const left = available - jobs - background - streams - guests
    expect(left).toBeGreaterThanOrEqual(2)
    // What is reserved is left also when all other functions use all that they can.
    expect(track === undefined).toBe(available < 125)
  })
})
