import { describe, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { ANSWERED, failing, fakeStream, pollFake } from './fake-stream.ts'

function oneShard() {
  const stream = fakeStream()
  stream.addShard('a')
  return stream
}

describe('a batch', () => {
  test('holds what there is, up to the number of records that the mapping says', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2, 3, 4, 5])
    expect(await pollFake(stream, { batchSize: 2 }).until('a', 5)).toEqual([[1, 2], [3, 4], [5]])
  })

  test('is cut before its event has more than 6 MB', async () => {
    const stream = oneShard()
    // 1 MB is a record's limit; base64 makes 4 bytes of 3.
    stream.put('a', [1, 2, 3, 4, 5, 6], 1_048_576)
    expect(await pollFake(stream, {}).until('a', 6)).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
  })

  test('gathers for the window since its first record, so that later ones come along', async () => {
    const stream = oneShard()
    stream.after(30_000, () => stream.put('a', [1]))
    stream.after(85_000, () => stream.put('a', [2]))
    stream.after(95_000, () => stream.put('a', [3]))
    const { until, invocations } = pollFake(stream, { windowMs: 60_000 })
    expect(await until('a', 3)).toEqual([[1, 2], [3]])
    expect((invocations[1]?.at ?? 0) - (invocations[0]?.at ?? 0)).toBeGreaterThanOrEqual(60_000)
  })

  test('does not wait for its window once it is full', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2, 3, 4])
    const { until, invocations } = pollFake(stream, { windowMs: 60_000, batchSize: 2 })
    expect(await until('a', 4)).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect((invocations[1]?.at ?? 0) - (invocations[0]?.at ?? 0)).toBeLessThan(60_000)
  })
})

describe('a function that answers', () => {
  test('with the first failed record is brought the records from there on, and only those', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2, 3, 4])
    let failures = 0
    const { until } = pollFake(stream, {}, sequences =>
      sequences.includes(3) && failures++ < 2 ? failing(4, 3) : ANSWERED,
    )
    expect(await until('a', 4)).toEqual([
      [1, 2, 3, 4],
      [3, 4],
      [3, 4],
    ])
  })

  test('with failures is taken at its word only where the mapping says so', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    const { until } = pollFake(stream, { reportsFailures: false }, () => failing(1))
    expect(await until('a', 2)).toEqual([[1, 2]])
  })

  test.each([
    ['a record that it was not given', failing(7)],
    ['no record', { kind: 'answered', answer: { batchItemFailures: [{ itemIdentifier: '' }] } } as const],
    ['no list', { kind: 'answered', answer: { batchItemFailures: 'all' } } as const],
  ])('naming %s has the whole batch again', async (_, wrong) => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    let calls = 0
    const { until } = pollFake(stream, {}, () => (calls++ === 0 ? wrong : ANSWERED))
    expect(await until('a', 2)).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('with nothing at all has succeeded', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    expect(await pollFake(stream, {}, () => ({ kind: 'answered', answer: null })).until('a', 2)).toEqual([
      [1, 2],
    ])
  })
})

describe('a function that fails', () => {
  test('has the batch again in halves, the first half first, until the bad record stands alone', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2, 3, 4])
    let failures = 0
    const { until } = pollFake(stream, {}, sequences =>
      sequences.includes(2) && failures++ < 5 ? { kind: 'failed', reason: 'a defect' } : ANSWERED,
    )
    expect(await until('a', 4)).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [2], [2], [2], [3, 4]])
  })

  test('has the whole batch again where the mapping does not cut', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    let failures = 0
    const { until } = pollFake(stream, { bisects: false }, () =>
      failures++ < 2 ? { kind: 'failed', reason: 'a defect' } : ANSWERED,
    )
    expect(await until('a', 2)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })

  test('is tried as often as the mapping says; then the records are given up, and the shard goes on', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2, 3])
    const { until, givenUp } = pollFake(stream, { retries: 1 }, sequences =>
      sequences.includes(2) ? { kind: 'failed', reason: 'a defect' } : ANSWERED,
    )
    expect(await until('a', 3)).toEqual([[1, 2, 3], [1, 2], [1], [2], [2], [3]])
    expect(givenUp).toEqual(['2'])
  })

  test('is tried for as long as it takes without such a limit', async () => {
    const stream = oneShard()
    stream.put('a', [1])
    let failures = 0
    const { until, givenUp } = pollFake(stream, {}, () =>
      failures++ < 200 ? { kind: 'failed', reason: 'a defect' } : ANSWERED,
    )
    expect(await until('a', 1)).toHaveLength(201)
    expect(givenUp).toEqual([])
  })

  test('is not brought records that have become too old', async () => {
    const stream = oneShard()
    stream.put('a', [1])
    const { until, givenUp } = pollFake(stream, { maxAgeMs: 60_000 }, () => ({
      kind: 'failed',
      reason: 'a defect',
    }))
    await until('a', 1)
    expect(givenUp).toEqual(['1'])
  })

  test('only because it was not reached is tried with the same batch, and no retry is counted', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    let calls = 0
    const { until } = pollFake(stream, { retries: 0 }, () =>
      calls++ < 3 ? { kind: 'refused', reason: 'TooManyRequestsException' } : ANSWERED,
    )
    expect(await until('a', 2)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })
})

describe('a shard', () => {
  test('does not wait for another whose batch fails', async () => {
    const stream = oneShard()
    stream.addShard('b')
    stream.put('a', [1])
    stream.put('b', [10, 11])
    const { until, position } = pollFake(stream, {}, (_, shard) =>
      shard === 'a' ? { kind: 'failed', reason: 'a defect' } : ANSWERED,
    )
    await until('b', 11)
    expect(position.checkpoints.get('a')).toBeUndefined()
  })

  test('that came of a reshard is read from its first record, after its parents are done', async () => {
    const stream = oneShard()
    stream.put('a', [1, 2])
    let failures = 0
    const { until, invocations } = pollFake(stream, { startAt: 'LATEST' }, sequences =>
      sequences.includes(3) && failures++ < 3 ? failing(3) : ANSWERED,
    )
    await eventually(() => expect(stream.time.now()).toBeGreaterThan(1_002_000))
    stream.put('a', [3])
    stream.addShard('b', ['a'])
    stream.put('b', [4])
    stream.close('a')
    await until('b', 4)
    expect(invocations.map(({ shard, sequences }) => [shard, ...sequences])).toEqual([
      ['a', '3'],
      ['a', '3'],
      ['a', '3'],
      ['a', '3'],
      ['b', '4'],
    ])
  })

  test('that came of two others waits for both', async () => {
    const stream = oneShard()
    stream.addShard('b')
    stream.put('a', [1])
    stream.put('b', [2])
    stream.addShard('c', ['a', 'b'])
    stream.put('c', [3])
    stream.close('a')
    const { until, invocations, position } = pollFake(stream, {})
    await eventually(() => expect(position.ended).toEqual(new Set(['a'])))
    expect(invocations.map(({ shard }) => shard)).not.toContain('c')
    stream.close('b')
    await until('c', 3)
  })

  test('whose parents have left the stream is read at once', async () => {
    const stream = fakeStream()
    stream.addShard('b', ['gone'])
    stream.put('b', [4])
    expect(await pollFake(stream, {}).until('b', 4)).toEqual([[4]])
  })
})

test('a poller goes on where the last one ended, and brings again what it is told to have forgotten', async () => {
  const stream = oneShard()
  stream.put('a', [1, 2, 3])
  const first = pollFake(stream, { batchSize: 1 })
  await first.until('a', 3)
  stream.put('a', [4])
  expect(await pollFake(stream, {}, undefined, first.position).until('a', 4)).toEqual([[4]])
  const earlier = { checkpoints: new Map([['a', '1']]), ended: new Set<string>() }
  expect(await pollFake(stream, {}, undefined, earlier).until('a', 4)).toEqual([[2, 3, 4]])
})
