import { expect, onTestFinished, test } from 'vitest'
import { addWitness, eventually } from './eventually.ts'

test('a wait ends with the first result', async () => {
  let tries = 0
  const result = await eventually(() => {
    tries += 1
    if (tries < 3) throw new Error('not yet')
    return tries
  })
  expect(result).toBe(3)
})

test('the error of a wait says how long it was, how often it tried, the last error and what the witnesses saw', async () => {
  onTestFinished(addWitness(() => 'The service 42 runs. Its last output:\nready'))
  const failure = eventually(() => expect(1).toBe(2), { timeoutMs: 0 })
  await expect(failure).rejects.toThrow(
    /^The wait ended without success after \d+\.\d s and 1 tries\. The last error: expected 1 to be 2[\s\S]*\nThe service 42 runs\. Its last output:\nready$/,
  )
})
