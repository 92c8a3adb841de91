import { call } from '#dashboard/api'
import { periodOf, zoneOf } from '#dashboard/range'
import { defineView, type ViewContext } from '#dashboard/view'
import { Sites } from './sites.tsx'

/** Sites of the list; the service takes no more. */
const MOST = 50

export default defineView({
  requests: ({ address }: ViewContext) => {
    const tz = zoneOf(address)
    return {
      sites: call('GET /account/all-sites', { period: periodOf(address.range, tz), tz, limit: MOST }),
      projects: call('GET /projects', {}),
    }
  },
  Draw: Sites,
})
