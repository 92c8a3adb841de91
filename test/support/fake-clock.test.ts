import { expect, test } from 'vitest'
import { clockContract } from '#test/contract/clock'
import { createFakeClock } from './fake-clock.ts'

clockContract('the clock of tests that moves itself', () => createFakeClock(0, { movesItself: true }))

test('a clock that is moved by hand ends what waits in the order of time, and stands still otherwise', async () => {
  const clock = createFakeClock(1_000)
  const ended: [string, number][] = []
  const note = (name: string) => () => ended.push([name, clock.now()])
  clock.deadline(20).addEventListener('abort', note('deadline'))
  const slept = clock.sleep(30).then(note('sleep'))
  clock.deadline(31).addEventListener('abort', note('later'))
  clock.advance(19)
  expect([ended, clock.sleepers()]).toEqual([[], 1])
  clock.advance(11)
  await slept
  expect(ended).toEqual([
    ['deadline', 1_020],
    ['sleep', 1_030],
  ])
  clock.time += 1
  expect(ended.at(-1)).toEqual(['later', 1_031])
})
