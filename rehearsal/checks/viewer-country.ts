import { COUNTRY } from '../world.ts'
import { type Check, expectEqual } from './check.ts'

export const viewerCountry: Check = {
  name: 'an event has the country that the edge tells, not the one that its sender claims',
  async act({ service }) {
    const project = await service.newProject('country')
    const claimed = { 'CloudFront-Viewer-Country': 'FR' }
    expectEqual((await service.send(project, [{ event: 'here' }], claimed)).status, 202, 'the answer')
    return async () => {
      const [stored] = await service.untilStored(project, 1)
      expectEqual(stored?.country, COUNTRY, 'the country')
      const { countries } = await service.stats(project)
      expectEqual(countries, [{ country: COUNTRY, count: 1, unique_users: 0 }], 'the countries of /stats')
      return COUNTRY
    }
  },
}
