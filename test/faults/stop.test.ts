import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { allEvents } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

afterAll(cleanUp)

const slowCompaction = fileURLToPath(new URL('./slow-compaction.ts', import.meta.url))

/** Starts a service whose compactions take minutes. */
function startSlow(dataDir: string, env: Record<string, string>): Promise<Service> {
  return startService({ dataDir, env: { ...env, NODE_OPTIONS: `--import ${slowCompaction}` } })
}

async function waitForCompaction(service: Service): Promise<void> {
  await eventually(() => expect(service.output()).toContain('slow compaction'))
}

/**
 * Presses Ctrl-C until the process ends. npm repeats a signal, so those within half a second count as one.
 */
async function interruptUntilEnd(service: Service): Promise<number | null> {
  const ended = service.stop()
  while (await Promise.race([ended.then(() => false), sleep(100, true)])) void service.stop()
  return ended
}

test('Ctrl-C cuts off a long compaction with exit code 0, a second one ends the service at once with 130, and the next start compacts', async () => {
  const dataDir = newFolder()
  // A stop cuts the compaction off after an epoch, and after 5 s at the latest.
  const first = await startSlow(dataDir, { EPOCH_SECONDS: '1' })
  const ids = await sendEvents(1, { credentials: first.credentials, prefix: 'a' })
  await waitForCompaction(first)
  expect(await first.stop()).toBe(0)
  expect(first.output()).toContain('"code":"STOPPED"')
  expect(first.output()).not.toMatch(/terminate called|JOB_FAILED/)

  // The epoch is closed, so its compaction begins with the start, and a first Ctrl-C alone would leave it 5
  // s.
  const second = await startSlow(dataDir, {})
  await waitForCompaction(second)
  expect(await interruptUntilEnd(second)).toBe(130)
  expect(second.output()).not.toContain('terminate called')

  const third = await startService({ dataDir, env: { EPOCH_SECONDS: '1' } })
  await eventually(() => expect(third.output()).toContain('EPOCH_COMPACTED'))
  const storedIds = (await allEvents(third)).map(({ event_id }) => event_id)
  expect(storedIds.toSorted()).toEqual(ids.toSorted())
  expect(await third.stop()).toBe(0)
})
