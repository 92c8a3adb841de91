import { call } from '#dashboard/api'
import { defineView } from '#dashboard/view'
import { Portfolios } from './portfolios.tsx'

export default defineView({
  requests: () => ({
    portfolios: call('GET /portfolios', {}),
    projects: call('GET /projects', {}),
    context: call('GET /portfolio-context', {}),
  }),
  Draw: Portfolios,
})
