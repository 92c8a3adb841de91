import { brokenConsumer } from './checks/broken-consumer.ts'
import { expectEqual, runChecks } from './checks/check.ts'
import { compaction } from './checks/compaction.ts'
import { deployUnderLoad } from './checks/deploy-under-load.ts'
import { destroy } from './checks/destroy.ts'
import { functionLogs } from './checks/function-logs.ts'
import { lostAnswer } from './checks/lost-answer.ts'
import { lostCheckpoints } from './checks/lost-checkpoints.ts'
import { poisonedRecord } from './checks/poisoned-record.ts'
import { testMessage } from './checks/test-message.ts'
import { throttledStream } from './checks/throttled-stream.ts'
import { viewerCountry } from './checks/viewer-country.ts'
import { runJourneys } from './journeys.ts'
import type { Ledger } from './ledger.ts'
import { readEverything } from './read-all.ts'
import type { World } from './world.ts'

/** Everything that is looked at on the deployed service, from its first request to its end. */
export async function rehearse(world: World, ledger: Ledger): Promise<void> {
  const { service, consumer, redeploy } = world
  const { check } = ledger
  const readAll = () => readEverything(service)

  await check('a second deploy changes nothing', async () => {
    const output = await redeploy()
    if (!/\(no changes\)/.test(output)) throw new Error(output.slice(-3_000))
    return 'no changes'
  })
  await check('nothing waits among the batches that were given up but the test message of S3', () =>
    testMessage(world),
  )
  await check('the journeys of npm start, through the deployed service', async () => {
    const tests = await runJourneys(world)
    return `${tests} tests`
  })
  await runChecks([viewerCountry, throttledStream, lostAnswer, poisonedRecord, brokenConsumer], world, ledger)

  const before = await ledger.step('all that was sent is read', readAll, summary)
  await check('the stream is read again from its start: nothing changes', () =>
    lostCheckpoints(world, before),
  )
  await runChecks([deployUnderLoad], world, ledger)
  const all = await ledger.step('all that was sent is read again', readAll, summary)
  await check('events of before the deploy are read as before', async () => {
    const now = new Map(all.map(reading => [reading.project, reading]))
    for (const reading of before) expectEqual(now.get(reading.project), reading, 'a project')
    return `${before.length} projects`
  })
  await check('epochs are compacted by jobs of the queue, and reads give the same all the while', () =>
    compaction(world),
  )
  await check('the consumer gave up no record', async () => {
    expectEqual(consumer.givenUp(), 0, 'records that were given up')
    const { answered, partial, failed, refused } = consumer.calls
    return `${answered} batches done, ${partial} in part, ${failed} failed, ${refused} refused`
  })
  await check('no function has met a defect of ours, was cut off or fell over', () => functionLogs(world))
  await check('cdk destroy leaves bucket, table and stream with the data', () => destroy(world))
}

function summary(readings: readonly { events: number }[]): string {
  const events = readings.reduce((sum, reading) => sum + reading.events, 0)
  return `${events} events of ${readings.length} projects`
}
