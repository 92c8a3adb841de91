import { expect, test } from 'vitest'
import { shareConcurrency } from '#lib/concurrency'
import { readConfig } from '#lib/config'
import { synthesize } from './synthesized.ts'

/** How the executions of the account are shared. */

test.each([
  ['not given', {}, { jobs: 4, track: undefined, limits: '' }],
  ['10, as of a new account', { concurrency: 10 }, { jobs: 2, track: undefined, limits: 'open_streams=1' }],
  ['1,000', { concurrency: 1000 }, { jobs: 4, track: 200, limits: '' }],
  // AWS keeps 100 for functions without a reservation.
  ['120', { concurrency: 120 }, { jobs: 4, track: undefined, limits: '' }],
  ['125', { concurrency: 125 }, { jobs: 4, track: 25, limits: '' }],
  [
    '10 with options of their own',
    { concurrency: 10, jobConcurrency: 3, limits: 'open_streams=4' },
    { jobs: 3, track: undefined, limits: 'open_streams=4' },
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
  expect(read({ concurrency: 10 })).toEqual([{ MaximumConcurrency: 2 }, undefined, 'open_streams=1'])
  expect(read({ concurrency: 1000 })).toEqual([{ MaximumConcurrency: 4 }, 200, ''])
})
