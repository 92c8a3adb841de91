import { type Check, expectEqual } from './check.ts'

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
