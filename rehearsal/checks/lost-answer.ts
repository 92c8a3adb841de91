import { type Check, expectEqual } from './check.ts'

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
