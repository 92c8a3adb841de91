import { SHORT_EPOCHS } from '#rehearsal/cdk'
import { differencesIn } from '#rehearsal/differences'
import { askReport, historyOf, nameOf } from '#rehearsal/reports'
import type { World } from '#rehearsal/world'
import type { NewProject } from '#test/support/deployment'
import { reportRoutes } from '#test/support/report-routes'
import { type Check, expectEqual } from './check.ts'

/** Reads after the first one, of which the details show the median. */
const WARM_READS = 5

/**
 * Asks every report twice, with reads=athena (Trino) and with reads=auto (DuckDB in the function, over copies
 * of the files in S3), and compares the answers. The receipts name the engines.
 */
export const smallReads: Check = {
  name: 'with reads=auto functions answer small reads themselves, as Athena did, and receipts name the engine',
  async act(world) {
    const { service, redeploy } = world
    const project = await service.createProject('small-reads')
    const history = historyOf(Date.now())
    expectEqual((await service.send(project, history)).status, 202, 'status of the events')
    await service.waitForEvents(project, history.length, '30d')
    const before = await askAll(world, project)
    const athena = await timeStats(world, project)
    try {
      await redeploy({ ...SHORT_EPOCHS, reads: 'auto' })
      const duckdb = await timeStats(world, project)
      const now = await askAll(world, project)
      expectEqual(
        [...before].flatMap(([name, answer]) =>
          differencesIn(answer, now.get(name)).map(difference => `${name}: ${difference}`),
        ),
        [],
        'answers with reads=auto',
      )
      expectEqual([athena.engines, duckdb.engines], [['athena'], ['duckdb']], 'engines of the receipts')
      return async () =>
        `${before.size} reports; /stats by Trino ${athena.text}, by the function ${duckdb.text}`
    } finally {
      await redeploy(SHORT_EPOCHS)
    }
  },
}

async function askAll({ service }: World, { id }: NewProject): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>()
  for (const report of reportRoutes) answers.set(nameOf(report), await askReport(service, report, id))
  return answers
}

/** The engines that answered /stats, and how long the first answer and the others took. */
async function timeStats(
  { service }: World,
  { id }: NewProject,
): Promise<{ engines: string[]; text: string }> {
  const engines = new Set<string>()
  const times: number[] = []
  for (let read = 0; read <= WARM_READS; read++) {
    const start = performance.now()
    const response = await service.call(`/stats?project=${id}&since=14d`)
    await response.text()
    times.push(performance.now() - start)
    const receipt = response.headers.get('x-footfall-receipt') ?? ''
    engines.add(/^engine=(\w+);/.exec(receipt)?.[1] ?? `${response.status}, receipt ${receipt}`)
  }
  const [first = 0, ...warm] = times
  const median = warm.toSorted((a, b) => a - b)[Math.floor(warm.length / 2)] ?? 0
  return { engines: [...engines], text: `${Math.round(first)} ms, then ${Math.round(median)} ms` }
}
