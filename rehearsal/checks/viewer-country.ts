import { COUNTRY } from '#rehearsal/world'
import { type Check, expectEqual } from './check.ts'

export const viewerCountry: Check = {
  name: 'the country of an event comes from the edge, not from a header of the sender',
  async act({ service }) {
    const project = await service.createProject('country')
    const falseHeader = { 'CloudFront-Viewer-Country': 'FR' }
    expectEqual((await service.send(project, [{ event: 'here' }], falseHeader)).status, 202, 'the status')
    return async () => {
      const [stored] = await service.waitForEvents(project, 1)
      expectEqual(stored?.country, COUNTRY, 'country of the event')
      const { countries } = await service.stats(project)
      expectEqual(countries, [{ country: COUNTRY, count: 1, unique_users: 0 }], 'countries of /stats')
      return COUNTRY
    }
  },
}
