import { type Check, expectEqual } from './check.ts'

export const throttledStream: Check = {
  name: 'a throttled stream gives 503 with Retry-After, and the client can send the events again',
  async act({ service, gate }) {
    const project = await service.createProject('throttled')
    const events = [
      { event: 'paid', event_id: 'throttled-1' },
      { event: 'paid', event_id: 'throttled-2' },
    ]
    gate.setFault('throttle')
    const response = await service.send(project, events)
    const tries = gate.faultCount()
    gate.setFault('none')
    expectEqual(response.status, 503, 'the status')
    expectEqual(((await response.json()) as { error: string }).error, 'UNAVAILABLE', 'the error code')
    const retryAfter = response.headers.get('retry-after') ?? ''
    if (!/^\d+$/.test(retryAfter)) throw new Error(`Retry-After is not a number: ${retryAfter}`)
    if (tries < 2) throw new Error('The function has not retried by itself.')
    expectEqual((await service.send(project, events)).status, 202, 'the status of the retry')

    // After a single throttled call the function retries, and the client gets 202.
    gate.setFault('throttle', 1)
    expectEqual(
      (await service.send(project, [{ event: 'short' }])).status,
      202,
      'the status after a short throttling',
    )
    return async () => {
      const stored = await service.waitForEvents(project, 3)
      expectEqual(
        stored.map(({ event_id = 'none' }) => event_id).toSorted(),
        ['none', 'throttled-1', 'throttled-2'],
        'stored events',
      )
      return `${tries} tries, then Retry-After ${retryAfter} s`
    }
  },
}
