import { randomBytes } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type KeptAnswer, keepInMemory, keepInTable } from '#core/reports/run/kept-answers'
import { createFakeClock } from '#test/support/fake-clock'
import { openTestState } from '#test/support/test-state'

const MINUTE = 60_000
const answer = (body: string, startedAt = 0): KeptAnswer => ({
  status: 200,
  body,
  headers: { 'X-Footfall-Receipt': 'ms=3' },
  startedAt,
})

async function openTable() {
  const state = await openTestState()
  onTestFinished(() => state.close())
  return { state, kept: keepInTable({ ...state, clock: createFakeClock(0) }) }
}

describe.each([
  ['in memory', async () => keepInMemory()],
  ['in the table', async () => (await openTable()).kept],
])('answers %s', (_, open) => {
  test('come back as they were, by their question alone', async () => {
    const kept = await open()
    const written = answer(JSON.stringify({ name: 'Zoë', rows: [1, null] }))
    await kept.put('one', written)
    expect(await kept.get('one')).toEqual(written)
    expect(await kept.get('two')).toBeNull()
    await kept.put('one', answer('{}', MINUTE))
    expect(await kept.get('one')).toEqual(answer('{}', MINUTE))
  })
})

describe('in memory', () => {
  test('at most 500 answers are kept, and the oldest one goes first', async () => {
    const kept = keepInMemory()
    for (let i = 0; i < 501; i++) await kept.put(`q${i}`, answer('{}'))
    expect(await kept.get('q0')).toBeNull()
    expect(await kept.get('q1')).not.toBeNull()
    expect(await kept.get('q500')).not.toBeNull()
  })

  test('at most 16,000,000 characters are kept, also when answers are replaced, and no answer of 2,000,001', async () => {
    const kept = keepInMemory()
    const large = 'x'.repeat(2_000_000)
    for (let i = 0; i < 8; i++) await kept.put(`q${i}`, answer(large))
    for (let i = 0; i < 20; i++) await kept.put('q7', answer(large))
    expect(await kept.get('q0')).not.toBeNull()
    await kept.put('q8', answer(`${large}x`))
    expect([await kept.get('q8'), await kept.get('q0')]).toEqual([null, answer(large)])
    await kept.put('q9', answer('x'))
    expect([await kept.get('q0'), await kept.get('q1')]).toEqual([null, answer(large)])
  })

  test('answers of an earlier minute go when a new one comes', async () => {
    const kept = keepInMemory()
    await kept.put('old', answer('{}', MINUTE - 1))
    await kept.put('new', answer('{}', MINUTE))
    expect([await kept.get('old'), await kept.get('new')]).toEqual([null, answer('{}', MINUTE)])
  })
})

test('in the table an item has at most 64 KB, and its key has no word of the question', async () => {
  const { state, kept } = await openTable()
  const items: { pk: string; expires_at: number }[] = []
  const put = state.client.put.bind(state.client)
  const counting = keepInTable({
    ...state,
    clock: createFakeClock(0),
    client: Object.assign(Object.create(state.client), {
      put: (input: Parameters<typeof put>[0]) => {
        items.push(input.Item as (typeof items)[number])
        return put(input)
      },
    }),
  })
  await counting.put('large', answer(randomBytes(60_000).toString('hex')))
  await counting.put('repeated', answer('x'.repeat(1_000_000)))
  expect([await kept.get('large'), await kept.get('repeated')]).toEqual([null, answer('x'.repeat(1_000_000))])
  expect(items).toEqual([
    {
      pk: expect.stringMatching(/^answer#[0-9a-f]{64}$|^answer#[0-9a-f]{40}$/),
      sk: 'answer',
      answer: expect.anything(),
      expires_at: 120,
    },
  ])
})
