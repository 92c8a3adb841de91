import { describe, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { fakeStream, partialFailure, SUCCESS, startFakePoller } from './fake-stream.ts'

function createOneShard() {
  const stream = fakeStream()
  stream.addShard('a')
  return stream
}

describe('a batch', () => {
  test('holds all available records, up to the batch size of the mapping', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2, 3, 4, 5])
    expect(await startFakePoller(stream, { batchSize: 2 }).untilCheckpoint('a', 5)).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ])
  })

  test('has an event of at most 6 MB', async () => {
    const stream = createOneShard()
    // A record has at most 1 MB. In base64, 3 bytes become 4.
    stream.put('a', [1, 2, 3, 4, 5, 6], 1_048_576)
    expect(await startFakePoller(stream, {}).untilCheckpoint('a', 6)).toEqual([
      [1, 2, 3, 4],
      [5, 6],
    ])
  })

  test('collects records until the window since its first record is over', async () => {
    const stream = createOneShard()
    stream.after(30_000, () => stream.put('a', [1]))
    stream.after(85_000, () => stream.put('a', [2]))
    stream.after(95_000, () => stream.put('a', [3]))
    const { untilCheckpoint, invocations } = startFakePoller(stream, { windowMs: 60_000 })
    expect(await untilCheckpoint('a', 3)).toEqual([[1, 2], [3]])
    expect((invocations[1]?.at ?? 0) - (invocations[0]?.at ?? 0)).toBeGreaterThanOrEqual(60_000)
  })

  test('does not wait for the end of the window when it is full', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2, 3, 4])
    const { untilCheckpoint, invocations } = startFakePoller(stream, { windowMs: 60_000, batchSize: 2 })
    expect(await untilCheckpoint('a', 4)).toEqual([
      [1, 2],
      [3, 4],
    ])
    expect((invocations[1]?.at ?? 0) - (invocations[0]?.at ?? 0)).toBeLessThan(60_000)
  })
})

describe('a response of the function', () => {
  test('that names failed records causes a retry from the first of them', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2, 3, 4])
    let failures = 0
    const { untilCheckpoint } = startFakePoller(stream, {}, sequences =>
      sequences.includes(3) && failures++ < 2 ? partialFailure(4, 3) : SUCCESS,
    )
    expect(await untilCheckpoint('a', 4)).toEqual([
      [1, 2, 3, 4],
      [3, 4],
      [3, 4],
    ])
  })

  test('that names failed records is a success when the mapping does not report failures', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    const { untilCheckpoint } = startFakePoller(stream, { reportsFailures: false }, () => partialFailure(1))
    expect(await untilCheckpoint('a', 2)).toEqual([[1, 2]])
  })

  test.each([
    ['a record that is not in the batch', partialFailure(7)],
    ['no record', { kind: 'responded', response: { batchItemFailures: [{ itemIdentifier: '' }] } } as const],
    ['no list', { kind: 'responded', response: { batchItemFailures: 'all' } } as const],
  ])('that names %s causes a retry of the whole batch', async (_, response) => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    let calls = 0
    const { untilCheckpoint } = startFakePoller(stream, {}, () => (calls++ === 0 ? response : SUCCESS))
    expect(await untilCheckpoint('a', 2)).toEqual([
      [1, 2],
      [1, 2],
    ])
  })

  test('that is empty is a success', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    expect(
      await startFakePoller(stream, {}, () => ({ kind: 'responded', response: null })).untilCheckpoint(
        'a',
        2,
      ),
    ).toEqual([[1, 2]])
  })
})

describe('a failed call of the function', () => {
  test('is retried in halves, the first half first, until the bad record is alone', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2, 3, 4])
    let failures = 0
    const { untilCheckpoint } = startFakePoller(stream, {}, sequences =>
      sequences.includes(2) && failures++ < 5 ? { kind: 'failed', reason: 'a defect' } : SUCCESS,
    )
    expect(await untilCheckpoint('a', 4)).toEqual([[1, 2, 3, 4], [1, 2], [1], [2], [2], [2], [2], [3, 4]])
  })

  test('is retried with the whole batch when the mapping does not bisect', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    let failures = 0
    const { untilCheckpoint } = startFakePoller(stream, { bisects: false }, () =>
      failures++ < 2 ? { kind: 'failed', reason: 'a defect' } : SUCCESS,
    )
    expect(await untilCheckpoint('a', 2)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })

  test('is retried as often as the mapping says, then the records are discarded and the shard goes on', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2, 3])
    const { untilCheckpoint, discardedSequences } = startFakePoller(stream, { retries: 1 }, sequences =>
      sequences.includes(2) ? { kind: 'failed', reason: 'a defect' } : SUCCESS,
    )
    expect(await untilCheckpoint('a', 3)).toEqual([[1, 2, 3], [1, 2], [1], [2], [2], [3]])
    expect(discardedSequences).toEqual(['2'])
  })

  test('is retried for ever when the mapping has no limit', async () => {
    const stream = createOneShard()
    stream.put('a', [1])
    let failures = 0
    const { untilCheckpoint, discardedSequences } = startFakePoller(stream, {}, () =>
      failures++ < 200 ? { kind: 'failed', reason: 'a defect' } : SUCCESS,
    )
    expect(await untilCheckpoint('a', 1)).toHaveLength(201)
    expect(discardedSequences).toEqual([])
  })

  test('is not retried with records that are too old', async () => {
    const stream = createOneShard()
    stream.put('a', [1])
    const { untilCheckpoint, discardedSequences } = startFakePoller(stream, { maxAgeMs: 60_000 }, () => ({
      kind: 'failed',
      reason: 'a defect',
    }))
    await untilCheckpoint('a', 1)
    expect(discardedSequences).toEqual(['1'])
  })

  test('is retried with the same batch when the function was not invoked, and does not count as a retry', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    let calls = 0
    const { untilCheckpoint } = startFakePoller(stream, { retries: 0 }, () =>
      calls++ < 3 ? { kind: 'refused', reason: 'TooManyRequestsException' } : SUCCESS,
    )
    expect(await untilCheckpoint('a', 2)).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
      [1, 2],
    ])
  })
})

describe('a shard', () => {
  test('does not wait for another shard whose batch fails', async () => {
    const stream = createOneShard()
    stream.addShard('b')
    stream.put('a', [1])
    stream.put('b', [10, 11])
    const { untilCheckpoint, position } = startFakePoller(stream, {}, (_, shard) =>
      shard === 'a' ? { kind: 'failed', reason: 'a defect' } : SUCCESS,
    )
    await untilCheckpoint('b', 11)
    expect(position.checkpoints.get('a')).toBeUndefined()
  })

  test('of a reshard is read from its first record, after its parent is read to the end', async () => {
    const stream = createOneShard()
    stream.put('a', [1, 2])
    let failures = 0
    const { untilCheckpoint, invocations } = startFakePoller(stream, { startAt: 'LATEST' }, sequences =>
      sequences.includes(3) && failures++ < 3 ? partialFailure(3) : SUCCESS,
    )
    await eventually(() => expect(stream.time.now()).toBeGreaterThan(1_002_000))
    stream.put('a', [3])
    stream.addShard('b', ['a'])
    stream.put('b', [4])
    stream.close('a')
    await untilCheckpoint('b', 4)
    expect(invocations.map(({ shard, sequences }) => [shard, ...sequences])).toEqual([
      ['a', '3'],
      ['a', '3'],
      ['a', '3'],
      ['a', '3'],
      ['b', '4'],
    ])
  })

  test('with two parents waits for both', async () => {
    const stream = createOneShard()
    stream.addShard('b')
    stream.put('a', [1])
    stream.put('b', [2])
    stream.addShard('c', ['a', 'b'])
    stream.put('c', [3])
    stream.close('a')
    const { untilCheckpoint, invocations, position } = startFakePoller(stream, {})
    await eventually(() => expect(position.ended).toEqual(new Set(['a'])))
    expect(invocations.map(({ shard }) => shard)).not.toContain('c')
    stream.close('b')
    await untilCheckpoint('c', 3)
  })

  test('whose parent is no longer in the stream is read at once', async () => {
    const stream = fakeStream()
    stream.addShard('b', ['gone'])
    stream.put('b', [4])
    expect(await startFakePoller(stream, {}).untilCheckpoint('b', 4)).toEqual([[4]])
  })
})

test('a poller starts at the position of another poller, or at an older position', async () => {
  const stream = createOneShard()
  stream.put('a', [1, 2, 3])
  const first = startFakePoller(stream, { batchSize: 1 })
  await first.untilCheckpoint('a', 3)
  stream.put('a', [4])
  expect(await startFakePoller(stream, {}, undefined, first.position).untilCheckpoint('a', 4)).toEqual([[4]])
  const olderPosition = { checkpoints: new Map([['a', '1']]), ended: new Set<string>() }
  expect(await startFakePoller(stream, {}, undefined, olderPosition).untilCheckpoint('a', 4)).toEqual([
    [2, 3, 4],
  ])
})
