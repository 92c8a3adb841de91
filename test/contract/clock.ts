import { describe, expect, test } from 'vitest'
import type { Clock } from '#core/ports'

/** Tests the rules of the port Clock (core/ports.ts) on one implementation, whose time must go by. */
export function clockContract(name: string, createClock: () => Clock): void {
  describe(`${name} as a Clock`, () => {
    test('a sleep ends when its time is over, the shorter one first', async () => {
      const clock = createClock()
      const ended: number[] = []
      await Promise.all([30, 0, 10].map(ms => clock.sleep(ms).then(() => ended.push(ms))))
      expect(ended).toEqual([0, 10, 30])
    })

    test('a signal ends a sleep without end with its reason, also one that has aborted before', async () => {
      const clock = createClock()
      const stopping = new AbortController()
      const slept = clock.sleep(Number.POSITIVE_INFINITY, stopping.signal)
      stopping.abort(new Error('stopped'))
      await expect(slept).rejects.toThrow('stopped')
      await expect(clock.sleep(0, stopping.signal)).rejects.toThrow('stopped')
    })

    test('a deadline aborts with a TimeoutError, and not before its time', async () => {
      const clock = createClock()
      const [near, far] = [clock.deadline(10), clock.deadline(3_600_000)]
      expect(near.aborted).toBe(false)
      const aborted = new Promise(resolve => near.addEventListener('abort', resolve))
      // The signal does not keep the process alive, the sleep does.
      await Promise.all([aborted, clock.sleep(20)])
      expect(near.reason).toMatchObject({ name: 'TimeoutError' })
      expect(far.aborted).toBe(false)
    })
  })
}
