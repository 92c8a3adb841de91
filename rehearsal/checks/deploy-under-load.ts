import { eventually } from '#test/support/eventually'
import { trackingClient } from '#test/support/tracking-client'
import { type Check, expectEqual } from './check.ts'

const CLIENTS = 3

/** Another log level changes every function; shorter epochs let the next check see them compacted. */
const CHANGED = { logLevel: 'WARN', epochMinutes: '1' }

export const deployUnderLoad: Check = {
  name: 'a deploy that changes every function of the running service loses no event, and doubles none',
  async act({ service, redeploy }) {
    const project = await service.newProject('load')
    const credentials = { base_url: service.baseUrl, project_token: project.project_token }
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      trackingClient({ credentials, prefix: `load-${i}`, pauseMs: 20 }),
    )
    const sent = () => clients.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
    try {
      await eventually(() => expectEqual(sent() > 100, true, 'the load before the deploy'))
      const before = sent()
      await redeploy(CHANGED)
      const after = sent()
      expectEqual(after > before, true, 'events during the deploy')
      await eventually(() => expectEqual(sent() > after + 100, true, 'the load after the deploy'), {
        timeoutMs: 60_000,
      })
    } finally {
      await Promise.all(clients.map(client => client.stop()))
    }
    return async () => {
      const acknowledged = clients.flatMap(client => [...client.acknowledged]).toSorted()
      const stored = await service.untilStored(project, acknowledged.length)
      expectEqual(stored.map(({ event_id = '' }) => event_id).toSorted(), acknowledged, 'the events')
      const answers = clients.flatMap(client => [...client.answers])
      const refused = answers.filter(([status]) => status !== 202)
      return `${acknowledged.length} events; answers other than 202: ${refused.length === 0 ? 'none' : JSON.stringify(refused)}`
    }
  },
}
