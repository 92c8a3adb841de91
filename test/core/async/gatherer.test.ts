import { beforeEach, expect, test, vi } from 'vitest'
import { createGatherer } from '#core/async/gatherer'
import { createFakeClock } from '#test/support/fake-clock'

let written: string[][] = []
beforeEach(() => {
  written = []
})

const clock = createFakeClock()

function gatherer(options: { waitMs: number; maxEntries?: number; write?: () => Promise<void> }) {
  return createGatherer<string>({
    maxEntries: 100,
    clock,
    ...options,
    write: async entries => {
      await options.write?.()
      written.push([...entries])
    },
  })
}

test('without a wait, an entry is written before its add ends', async () => {
  const { add } = gatherer({ waitMs: 0 })
  await add('a')
  await add('b')
  expect(written).toEqual([['a'], ['b']])
})

test('entries that wait are written together when their time is over', async () => {
  const { add, flush } = gatherer({ waitMs: 20 })
  await add('a')
  clock.advance(19)
  await add('b')
  expect(written).toEqual([])
  clock.advance(1)
  await vi.waitFor(() => expect(written).toEqual([['a', 'b']]))
  await add('c')
  clock.advance(20)
  await vi.waitFor(() => expect(written).toEqual([['a', 'b'], ['c']]))
  await flush()
  expect(written).toHaveLength(2)
})

test('many entries are written without a further wait', async () => {
  const { add } = gatherer({ waitMs: 60_000, maxEntries: 2 })
  await add('a')
  await add('b')
  await vi.waitFor(() => expect(written).toEqual([['a', 'b']]))
})

test('a flush ends after everything that was added before is written, also by an earlier flush', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const { add, flush } = gatherer({ waitMs: 60_000, write: () => promise })
  await add('a')
  const first = flush()
  await add('b')
  const second = flush()
  resolve()
  await second
  expect(written).toEqual([['a'], ['b']])
  await first
  await flush()
  expect(written).toHaveLength(2)
})
