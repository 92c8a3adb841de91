import { expect, test } from 'vitest'
import { lazily, remember } from '#core/async/lazily'

test('a value is made once, when it is needed first, also if it is undefined', () => {
  let made = 0
  const value = lazily(() => void made++)
  expect(made).toBe(0)
  value()
  value()
  expect(made).toBe(1)
})

test('calls at the same time wait for the same value, and after a failure the next call tries again', async () => {
  let tries = 0
  const value = remember(async () => {
    if (++tries === 1) throw new Error('not yet')
    return tries
  })
  const settled = await Promise.allSettled([value(), value()])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([await value(), await value(), tries]).toEqual([2, 2, 2])
})
