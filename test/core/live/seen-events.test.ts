import { expect, test } from 'vitest'
import { createSeenEvents } from '#core/live/seen-events'

const event = (id: string, event_id: string | null, credentialed = false) => ({ id, event_id, credentialed })

test('each event and each event_id is new once', () => {
  const { isNew } = createSeenEvents(10)
  const events = [event('1', 'a'), event('1', 'a'), event('2', 'a'), event('3', null), event('4', 'b')]
  expect(events.map(isNew)).toEqual([true, false, false, true, true])
})

test('an event with a credential is new after a copy without one, and no copy of either is new after it', () => {
  const { isNew } = createSeenEvents(10)
  const events = [event('1', 'a'), event('2', 'a', true), event('3', 'a'), event('4', 'a', true)]
  expect(events.map(isNew)).toEqual([true, true, false, false])
})
