import { type Check, expectEqual } from './check.ts'

/** What is left of the function's time is enough for its tries; see aws/stream.ts. */
export const throttledStream: Check = {
  name: 'a throttled stream is 503 with Retry-After, and what the client sends again is stored once',
  async act({ service, gate }) {
    const project = await service.newProject('throttled')
    const events = [
      { event: 'paid', event_id: 'throttled-1' },
      { event: 'paid', event_id: 'throttled-2' },
    ]
    gate.setFault('throttle')
    const refused = await service.send(project, events)
    const tries = gate.hits()
    gate.setFault('none')
    expectEqual(refused.status, 503, 'the answer')
    expectEqual(((await refused.json()) as { error: string }).error, 'UNAVAILABLE', 'its code')
    const retryAfter = refused.headers.get('retry-after') ?? ''
    if (!/^\d+$/.test(retryAfter)) throw new Error(`Retry-After is ${retryAfter}`)
    if (tries < 2) throw new Error('the function did not try again by itself')
    expectEqual((await service.send(project, events)).status, 202, 'the second answer')

    // Refused for a moment only: the caller does not hear of it.
    gate.setFault('throttle', 1)
    expectEqual((await service.send(project, [{ event: 'short' }])).status, 202, 'after a short refusal')
    return async () => {
      const stored = await service.untilStored(project, 3)
      expectEqual(
        stored.map(({ event_id = 'none' }) => event_id).toSorted(),
        ['none', 'throttled-1', 'throttled-2'],
        'the events',
      )
      return `${tries} tries, then Retry-After ${retryAfter} s`
    }
  },
}

export const lostAnswer: Check = {
  name: 'records whose acknowledgement was lost are put again, and their events stored once',
  async act({ service, gate }) {
    const project = await service.newProject('lost')
    gate.setFault('lose answer', 2)
    const events = Array.from({ length: 20 }, (_, i) => ({ event: 'paid', event_id: `lost-${i}` }))
    expectEqual((await service.send(project, events)).status, 202, 'the answer')
    const hits = gate.hits()
    gate.setFault('none')
    expectEqual(hits, 2, 'answers that were lost')
    return async () => {
      const stored = await service.untilStored(project, 20)
      expectEqual(new Set(stored.map(({ event_id }) => event_id)).size, 20, 'different events')
      expectEqual((await service.stats(project)).totals.total_events, 20, 'the total')
      return '3 times in the stream, once in the lake'
    }
  },
}
