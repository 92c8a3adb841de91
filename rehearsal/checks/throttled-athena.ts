import { type Check, expectEqual } from './check.ts'

/** More than the three tries of the SDK's client. */
const THROTTLES = 5

export const throttledAthena: Check = {
  name: 'a report answers although Athena refuses the start of its statement five times in a row',
  async act({ service, athena }) {
    const project = await service.createProject('starts')
    athena.throttleStarts(THROTTLES)
    const { totals } = await service.stats(project)
    expectEqual(athena.throttlesLeft(), 0, 'refused starts that are left')
    expectEqual(totals.total_events, 0, 'events of a new project')
    return async () => `${THROTTLES} starts refused`
  },
}
