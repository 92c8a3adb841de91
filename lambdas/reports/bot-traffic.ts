import { accountBotTraffic, botTraffic } from '#core/reports/bot-traffic'
import { routes } from '#schemas/routes'
import { contextOfDates, openProject, readableProjects } from './open-project.ts'
import { readerOf } from './reader-of.ts'
import { type ReadEndpoint, respond } from './respond.ts'
import type { ReportsServices } from './services.ts'

/**
 * The requests of bots, from the counters of the state: of one project, and of all projects of the caller.
 */
export function botTrafficEndpoints(services: ReportsServices, { chain, read }: ReadEndpoint) {
  const { bots } = services.usage
  return {
    botTraffic: chain(routes.botTraffic)(async function answerBotTraffic(call) {
      const result = await read({ ...call, ...readerOf(services, call) }, async ({ clock }) => {
        const opened = await openProject(services, call)
        const { project } = opened
        const report = await botTraffic(bots, { project, params: call.query, now: clock.now() })
        return { ...report, ...(await contextOfDates(opened, report.period)) }
      })
      return respond(call, result)
    }),

    accountBotTraffic: chain(routes.accountBotTraffic)(async function answerAccountBotTraffic(call) {
      const projects = await readableProjects(services, call.caller)
      const result = await read({ ...call, ...readerOf(services, call) }, ({ clock }) =>
        accountBotTraffic(bots, { projects, params: call.query, now: clock.now() }),
      )
      return respond(call, result)
    }),
  }
}
