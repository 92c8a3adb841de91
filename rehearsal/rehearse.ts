import { brokenConsumer } from './checks/broken-consumer.ts'
import { expectEqual, runChecks } from './checks/check.ts'
import { compaction } from './checks/compaction.ts'
import { demoAccess } from './checks/demo-access.ts'
import { deployUnderLoad } from './checks/deploy-under-load.ts'
import { destroy } from './checks/destroy.ts'
import { equalReports } from './checks/equal-reports.ts'
import { functionLogs } from './checks/function-logs.ts'
import { livePersonErased } from './checks/live-person-erased.ts'
import { lostCheckpoints } from './checks/lost-checkpoints.ts'
import { lostResponse } from './checks/lost-response.ts'
import { pastTheEdge } from './checks/past-the-edge.ts'
import { poisonedRecord } from './checks/poisoned-record.ts'
import { secondRegion } from './checks/second-region.ts'
import { smallAccount } from './checks/small-account.ts'
import { throttledAthena } from './checks/throttled-athena.ts'
import { throttledStream } from './checks/throttled-stream.ts'
import { viewerCountry } from './checks/viewer-country.ts'
import { runJourneys } from './journeys.ts'
import type { Ledger } from './ledger.ts'
import { readAllProjects } from './read-all.ts'
import type { World } from './world.ts'

/** Runs all checks on the deployed service, and destroys it at the end. */
export async function rehearse(world: World, ledger: Ledger): Promise<void> {
  const { service, consumer, redeploy } = world
  const { check } = ledger
  const readAll = () => readAllProjects(service)

  await check('a second deployment changes nothing', async () => {
    const output = await redeploy()
    if (!/\(no changes\)/.test(output)) throw new Error(output.slice(-3_000))
    return 'no changes'
  })
  await check('the journeys of test/journeys/ pass on the deployed service', async () => {
    const tests = await runJourneys(world)
    return `${tests} tests`
  })
  await runChecks(
    [
      demoAccess,
      viewerCountry,
      pastTheEdge,
      throttledAthena,
      equalReports,
      throttledStream,
      lostResponse,
      poisonedRecord,
      brokenConsumer,
      livePersonErased,
    ],
    world,
    ledger,
  )

  const before = await ledger.step('read all events', readAll, summary)
  await check('reads give the same results after the stream was read again from its start', () =>
    lostCheckpoints(world, before),
  )
  await runChecks([deployUnderLoad], world, ledger)
  await runChecks([smallAccount], world, ledger)
  const allResults = await ledger.step('read all events again', readAll, summary)
  await check('events from before the deployment are unchanged', async () => {
    const now = new Map(allResults.map(result => [result.project, result]))
    for (const result of before) expectEqual(now.get(result.project), result, 'result of a project')
    return `${before.length} projects`
  })
  await check('jobs of the queue compact epochs, and reads give the same results during that', () =>
    compaction(world),
  )
  await check('the poller of the consumer has discarded no record', async () => {
    expectEqual(consumer.discardedRecords(), 0, 'number of discarded records')
    const { responded, partial, failed, refused } = consumer.calls
    return `batches: ${responded} processed, ${partial} in part, ${failed} failed, ${refused} refused`
  })
  await check('no function has logged an unexpected error, timed out or crashed', () => functionLogs(world))
  await check('a second stack of the same name in another region shares no global name with the first', () =>
    secondRegion(world),
  )
  await check('cdk destroy keeps the S3 bucket, the table and the stream with their data', () =>
    destroy(world),
  )
}

function summary(results: readonly { events: number }[]): string {
  const events = results.reduce((sum, result) => sum + result.events, 0)
  return `${events} events of ${results.length} projects`
}
