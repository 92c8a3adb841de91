import { type KeptProject, keptByProject } from '#core/plans/kept-since'
import { allSites } from '#core/reports/all-sites'
import type { ReadNotes } from '#core/reports/run/notes'
import { warnOfRange } from '#core/reports/run/warn-of-range'
import { createZone } from '#core/reports/run/zone'
import { joinAllTimes } from '#core/usage/event-times'
import { routes } from '#schemas/routes'
import { readableProjects } from './open-project.ts'
import { readerOf } from './reader-of.ts'
import { type ReadEndpoint, respond } from './respond.ts'
import type { ReportsServices } from './services.ts'
import { keptSince } from './visible-events.ts'

/** GET /account/all-sites: the events of all projects of the caller. */
export function allSitesEndpoint(services: ReportsServices, { chain, read }: ReadEndpoint) {
  /** The first day that any of the projects keeps, Unix ms. */
  function keptByAny(projects: readonly KeptProject[]): number {
    const now = services.clock.now()
    return Math.min(...projects.map(project => keptByProject(project, now)))
  }

  return chain(routes.allSites)(async function answerAllSites(call) {
    const projects = await readableProjects(services, call.caller)
    const since = keptSince(services, call.caller)
    const result = await read({ ...call, ...readerOf(services, call) }, async reportServices => {
      const [body, firstAt] = await Promise.all([
        allSites(reportServices, { projects, params: call.query, signal: call.signal, keptSince: since }),
        readFirstEvent(services, projects),
      ])
      if (firstAt !== null && reportServices.notes !== undefined)
        warnOfPeriods(body.period, Math.max(firstAt, since ?? 0, keptByAny(projects)), reportServices.notes)
      return body
    })
    return respond(call, result)
  })
}

/**
 * The time of the first event of all projects, Unix ms. Null without events, and where one project's is not
 * known.
 */
async function readFirstEvent(
  { usage }: Pick<ReportsServices, 'usage'>,
  projects: readonly { id: string }[],
): Promise<number | null> {
  const totals = await usage.totals(projects.map(({ id }) => id))
  if (totals.some(({ events, times }) => events > 0 && times === null)) return null
  return joinAllTimes(totals)?.first ?? null
}

/**
 * Says in the receipt where the data begins, and warns of a period that begins earlier
 * (docs/api/reads.md#u68).
 */
function warnOfPeriods(
  period: { from: string; previous_from: string; tz?: string | undefined },
  firstAt: number,
  notes: ReadNotes,
): void {
  notes.dataFrom = createZone(period.tz ?? 'UTC').dateOf(firstAt)
  warnOfRange({ period, previous_period: { from: period.previous_from } }, notes.dataFrom, notes)
}
