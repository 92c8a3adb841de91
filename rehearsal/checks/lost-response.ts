import { type Check, expectEqual } from './check.ts'

export const lostResponse: Check = {
  name: 'records whose acknowledgement is lost are sent again, and their events are stored once',
  async act({ service, gate }) {
    const project = await service.createProject('lost')
    gate.setFault('lose response', 2)
    const events = Array.from({ length: 20 }, (_, i) => ({ event: 'paid', event_id: `lost-${i}` }))
    expectEqual((await service.send(project, events)).status, 202, 'the status')
    const faultCount = gate.faultCount()
    gate.setFault('none')
    expectEqual(faultCount, 2, 'lost responses')
    return async () => {
      const stored = await service.waitForEvents(project, 20)
      expectEqual(new Set(stored.map(({ event_id }) => event_id)).size, 20, 'different event ids')
      expectEqual((await service.stats(project)).totals.total_events, 20, 'total of /stats')
      return 'three times in the stream, once in the lake'
    }
  },
}
