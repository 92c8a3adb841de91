import { SHORT_EPOCHS } from '#rehearsal/cdk'
import { eventually } from '#test/support/eventually'
import { startTrackingClient } from '#test/support/tracking-client'
import { type Check, expectEqual } from './check.ts'

const CLIENTS = 3

/** A new log level changes every function. small-account.ts needs the concurrency. */
export const NEW_OPTIONS = { ...SHORT_EPOCHS, logLevel: 'WARN', concurrency: '10' }

export const deployUnderLoad: Check = {
  name: 'a deployment that changes every function of the running service loses no event and stores none twice',
  async act({ service, patience, redeploy }) {
    const project = await service.createProject('load')
    const credentials = { base_url: service.baseUrl, project_token: project.project_token }
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      startTrackingClient({ credentials, prefix: `load-${i}`, pauseMs: 20 }),
    )
    const countAcknowledged = () => clients.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
    try {
      await eventually(() => expectEqual(countAcknowledged() > 100, true, 'load before the deployment'))
      const before = countAcknowledged()
      await redeploy(NEW_OPTIONS)
      const after = countAcknowledged()
      expectEqual(after > before, true, 'load during the deployment')
      await eventually(
        () => expectEqual(countAcknowledged() > after + 100, true, 'load after the deployment'),
        {
          timeoutMs: 60_000 * patience,
        },
      )
    } finally {
      await Promise.all(clients.map(client => client.stop()))
    }
    return async () => {
      const acknowledged = clients.flatMap(client => [...client.acknowledged]).toSorted()
      const stored = await service.waitForEvents(project, acknowledged.length)
      expectEqual(stored.map(({ event_id = '' }) => event_id).toSorted(), acknowledged, 'stored events')
      const statusCounts = clients.flatMap(client => [...client.statusCounts])
      const otherResponses = statusCounts.filter(([status]) => status !== 202)
      return `${acknowledged.length} events; responses other than 202: ${otherResponses.length === 0 ? 'none' : JSON.stringify(otherResponses)}`
    }
  },
}
