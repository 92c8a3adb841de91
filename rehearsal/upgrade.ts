import type { NewProject } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'
import { reportRoutes } from '#test/support/report-routes'
import { startTrackingClient } from '#test/support/tracking-client'
import { SHORT_EPOCHS } from './cdk.ts'
import { expectEqual } from './checks/check.ts'
import { functionLogs } from './checks/function-logs.ts'
import { differencesIn } from './differences.ts'
import { openLake } from './lake.ts'
import type { Ledger } from './ledger.ts'
import { askReport, historyOf, nameOf, type Report } from './reports.ts'
import type { World } from './world.ts'

/** What later versions answer in another way on purpose (CHANGELOG.md). */
const CHANGED = [
  // They say more.
  /: \/(warnings|caveats)\b/,
  // Cohorts that begin with the data are not in the averages.
  /^GET \/retention: \/average_rates\b/,
]

/** Most time for an epoch, its compaction and the batching windows before it. */
const COMPACTION_MS = 15 * 60_000
const CLIENTS = 3

/**
 * Fills a stack of the earlier edition, updates it to the app of this checkout while events arrive, and asks
 * the same questions before and after. The stack then has what an old install has: segments and manifests of
 * the earlier edition, hot files of both, links and an erasure.
 */
export async function upgrade(world: World, ledger: Ledger): Promise<void> {
  const { service, stack, patience, redeploy } = world
  const lake = openLake(world)
  const wait = { timeoutMs: COMPACTION_MS * patience, everyMs: 1_000 }

  const history = historyOf(Date.now())
  const project = await ledger.step('fill the stack of the earlier edition', async () => {
    const created = await service.createProject('upgraded')
    expectEqual((await service.send(created, history)).status, 202, 'status of the events')
    await link(world, created)
    await service.waitForEvents(created, history.length, '30d')
    return created
  })
  await ledger.step('wait for the segments of the earlier edition', () =>
    eventually(async () => {
      if ((await lake.listSegments()).length === 0) throw new Error('Nothing is compacted yet.')
    }, wait),
  )
  const hot = [{ event: 'signup', event_id: 'hot', user_id: 'u1', session_id: 'hot', properties: {} }]
  await ledger.step('send an event that stays in a hot file, and erase a person', async () => {
    await service.send(project, hot)
    const { status } = await service.call(`/users/u5?project=${project.id}`, { method: 'DELETE' })
    expectEqual(status, 202, 'status of the erasure')
    const left = [...history, ...hot].filter(({ user_id }) => user_id !== 'u5')
    await service.waitForEvents(project, left.length, '30d')
  })
  const before = await ledger.step(
    'ask the earlier edition',
    () => askAll(world, project),
    answers => `${answers.size} reports`,
  )

  await ledger.check('an update under load keeps every acknowledged event, each once', async () => {
    const load = await service.createProject('load')
    const credentials = { base_url: service.baseUrl, project_token: load.project_token }
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      startTrackingClient({ credentials, prefix: `load-${i}`, pauseMs: 20 }),
    )
    await Promise.all(clients.map(client => client.reach(50)))
    await redeploy(SHORT_EPOCHS)
    await Promise.all(clients.map(({ acknowledged, reach }) => reach(acknowledged.size + 50)))
    await Promise.all(clients.map(client => client.stop()))
    const acknowledged = clients.flatMap(client => [...client.acknowledged]).toSorted()
    const stored = await service.waitForEvents(load, acknowledged.length)
    expectEqual(stored.map(({ event_id = '' }) => event_id).toSorted(), acknowledged, 'stored events')
    // The emulator's CloudFront loses the corrected origin until the end of the deployment.
    const refused = clients.flatMap(client => [...client.statusCounts]).filter(([status]) => status !== 202)
    return `${acknowledged.length} events; responses other than 202: ${refused.length === 0 ? 'none' : JSON.stringify(refused)}`
  })
  await ledger.check('the update replaces no resource with data or an address', async () => {
    const { bucket, table, stream, apiId, distributionId, queueUrls } = await world.readStack()
    const now = { bucket, table, stream, apiId, distributionId }
    expectEqual(
      now,
      Object.fromEntries(Object.keys(now).map(name => [name, stack[name as keyof typeof now]])),
      'resources after the update',
    )
    expectEqual(
      stack.queueUrls.filter(url => !queueUrls.includes(url)),
      [],
      'queues that are gone',
    )
    return Object.values(now).join(', ')
  })
  const expectSame = async () => {
    const differences = [...before].map(async ([name, answer]) => {
      const now = await askReport(service, reportNamed(name), project.id)
      return differencesIn(answer, now).map(difference => `${name}: ${difference}`)
    })
    const found = (await Promise.all(differences)).flat()
    expectEqual(
      found.filter(difference => !CHANGED.some(change => change.test(difference))).slice(0, 20),
      [],
      'answers',
    )
    return `${before.size} reports`
  }
  await ledger.check('reads give what the earlier edition gave', expectSame)
  await ledger.check('reads give it once all epochs are compacted by the new edition', async () => {
    const last = Math.max(...(await lake.listHotEpochs()))
    await eventually(async () => {
      const compacted = await lake.readCompacted()
      if (compacted <= last) throw new Error(`Epoch ${compacted} is not compacted, and ${last} has events.`)
    }, wait)
    return expectSame()
  })
  await ledger.check('no function has logged an unexpected error, timed out or crashed', () =>
    functionLogs(world, []),
  )
}

/** Joins two ids of the history to one person, and waits until reads know it. */
async function link({ service }: World, { project_token, id }: NewProject): Promise<void> {
  const { status } = await service.call('/identify', {
    body: { token: project_token, previous_id: 'u2', user_id: 'u3', traits: { plan: 'pro' } },
  })
  expectEqual(status, 202, 'status of /identify')
  await eventually(
    async () => {
      const { totals } = await service.stats({ id }, '30d')
      expectEqual(totals.unique_users, 11, 'people')
    },
    { timeoutMs: COMPACTION_MS, everyMs: 1_000 },
  )
}

/** The answers of the reports that the earlier edition has. */
async function askAll({ service }: World, { id }: NewProject): Promise<Map<string, unknown>> {
  const answers = new Map<string, unknown>()
  for (const report of reportRoutes) {
    const answer = await askReport(service, report, id).catch((error: Error) => {
      if (/: 404 /.test(error.message)) return null
      throw error
    })
    if (answer !== null) answers.set(nameOf(report), answer)
  }
  return answers
}

function reportNamed(name: string): Report {
  const report = reportRoutes.find(each => nameOf(each) === name)
  if (report === undefined) throw new Error(`There is no report ${name}.`)
  return report
}
