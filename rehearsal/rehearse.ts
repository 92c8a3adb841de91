import { SHORT_EPOCHS } from './cdk.ts'
import { adopt } from './checks/adopt.ts'
import { brokenConsumer } from './checks/broken-consumer.ts'
import { expectEqual, runChecks } from './checks/check.ts'
import { compaction } from './checks/compaction.ts'
import { leaveNothing } from './checks/delete-kept.ts'
import { demoAccess } from './checks/demo-access.ts'
import { deployUnderLoad } from './checks/deploy-under-load.ts'
import { destroy } from './checks/destroy.ts'
import { doctor } from './checks/doctor.ts'
import { equalReports } from './checks/equal-reports.ts'
import { functionLogs } from './checks/function-logs.ts'
import { functionUrl } from './checks/function-url.ts'
import { type ErasedPerson, erasureDone, livePersonErased } from './checks/live-person-erased.ts'
import { lostCheckpoints } from './checks/lost-checkpoints.ts'
import { lostResponse } from './checks/lost-response.ts'
import { movedBack } from './checks/moved-back.ts'
import { pastTheEdge } from './checks/past-the-edge.ts'
import { poisonedRecord } from './checks/poisoned-record.ts'
import { restoreMoment } from './checks/restore-moment.ts'
import { secondRegion } from './checks/second-region.ts'
import { smallAccount } from './checks/small-account.ts'
import { smallReads } from './checks/small-reads.ts'
import { throttledAthena } from './checks/throttled-athena.ts'
import { throttledStream } from './checks/throttled-stream.ts'
import { viewerCountry } from './checks/viewer-country.ts'
import { runJourneys } from './journeys.ts'
import type { Ledger } from './ledger.ts'
import { readAllProjects } from './read-all.ts'
import type { Stack } from './stack.ts'
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
  // An erasure is done after half an hour. So it is the first check, and it waits beside all others.
  let erased: ErasedPerson | null = null
  const person = livePersonErased(found => {
    erased = found
  })
  const hidden = runChecks([person], world, ledger)
  await check('the journeys pass on the deployed service', async () => {
    const tests = await runJourneys(world)
    return `${tests} tests`
  })
  await hidden
  const done = check('an erasure is complete, whatever was redeployed and read again meanwhile', async () => {
    if (erased === null) throw new Error('There is no erasure.')
    return erasureDone(world, erased)
  })
  await check('a deployment with short epochs changes the scheduler', async () => {
    const output = await redeploy(SHORT_EPOCHS)
    if (/\(no changes\)/.test(output)) throw new Error(output.slice(-3_000))
    return JSON.stringify(SHORT_EPOCHS)
  })
  // Alone, and before the checks that take rights and executions away.
  await runChecks([doctor], world, ledger)
  await runChecks([smallReads], world, ledger)
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
  await runChecks([functionUrl], world, ledger)
  const allResults = await ledger.step('read all events again', readAll, summary)
  await check('events from before the deployment are unchanged', async () => {
    const now = new Map(allResults.map(result => [result.project, result]))
    for (const result of before) expectEqual(now.get(result.project), result, 'result of a project')
    return `${before.length} projects`
  })
  await check('jobs of the queue compact epochs, and reads give the same results during that', () =>
    compaction(world),
  )
  await done
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
  let adopted: Stack | null = null
  await check(
    'a new stack takes over what was kept: cdk import, cdk deploy, and the old keys work',
    async () => {
      const result = await adopt(world)
      adopted = result.adopted
      return result.details
    },
  )
  await check(
    'npm run restore brings back deleted files and the table, and who was erased before stays erased',
    () => {
      if (adopted === null) throw new Error('There is no stack to restore.')
      return restoreMoment(world, adopted)
    },
  )
  await check('npm run promote -- --back moves the stack to one machine, with the same key and answers', () =>
    movedBack(world, adopted ?? world.stack),
  )
  await check('the end of npm run smoke:aws leaves no bucket, table, stream or secret', () =>
    leaveNothing(world),
  )
}

function summary(results: readonly { events: number }[]): string {
  const events = results.reduce((sum, result) => sum + result.events, 0)
  return `${events} events of ${results.length} projects`
}
