import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEMO_EVENTS } from '#core/demo/demo-records'
import { createRandom } from '#core/demo/random'
import { repeats, seed } from '#test/support/depth'
import { eventually } from '#test/support/eventually'
import {
  cleanUp,
  launchService,
  newFolder,
  runFailingService,
  type Service,
  startService,
} from '#test/support/service-process'
import { lakeFiles, readJson } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

/** Tests run at the same time, because each waits for a service most of the time. */

afterAll(cleanUp)

const isSegment = (path: string) => path.includes('/segments/events/')

describe('after the start of a service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
  })

  test.concurrent('a second service on its folder cannot start, and the first one continues', async () => {
    const { code, output } = await runFailingService({ dataDir: service.dataDir })
    expect(code).toBe(1)
    expect(output).toContain(`Footfall cannot start. Another Footfall service uses ${service.dataDir}.`)
    await readJson(service, '/projects')
  })

  test.concurrent('a service on its port cannot start', async () => {
    const port = Number(new URL(service.baseUrl).port)
    const { code, output } = await runFailingService({ port })
    expect(code).toBe(1)
    expect(output).toContain(`Footfall cannot start. Port ${port} is used by another program.`)
  })

  test('without its credentials file the owner gets a new key for the same account and project at the next start', async () => {
    expect(await service.stop()).toBe(0)
    rmSync(join(service.dataDir, 'credentials.json'))
    const second = await startService({ dataDir: service.dataDir })
    const { account_id, project_token } = service.credentials
    expect(second.credentials).toMatchObject({ account_id, project_token })
    expect(second.credentials.api_key).not.toBe(service.credentials.api_key)
    const keyFile = join(service.dataDir, 'api-key')
    expect(readFileSync(keyFile, 'utf8')).toBe(`${second.credentials.api_key}\n`)
    await readJson(second, '/projects')
    const withOldKey = { ...second, credentials: service.credentials }
    await expect(readJson(withOldKey, '/projects')).rejects.toThrow('401')
    await second.stop()
  })
})

test.concurrent('a wrong setting ends the start with exit code 1 and its name', async () => {
  const { code, output } = await runFailingService({
    env: { QUERY_MEMORY_MB: 'much', BASE_URL: 'localhost' },
  })
  expect(code).toBe(1)
  expect(output).toContain('Footfall cannot start. ')
  expect(output).toContain('QUERY_MEMORY_MB must be a whole number')
  expect(output).toContain('BASE_URL must be')
})

test.concurrent('a folder that has lost its state does not start, and nothing is written into it', async () => {
  const service = await startService()
  const { dataDir } = service
  expect(await service.stop()).toBe(0)
  const state = join(dataDir, 'state.db')
  const kept = readFileSync(state)
  rmSync(state)
  const filesOf = () => readdirSync(dataDir, { recursive: true }).toSorted()
  const before = filesOf()
  const lost = await runFailingService({ dataDir })
  expect(lost.code).toBe(1)
  expect(lost.output).toContain('Put state.db back from a backup')
  expect(filesOf()).toEqual(before)
  // A file of SQLite that is no state has no items.
  new DatabaseSync(state).exec('CREATE TABLE other (a)')
  const empty = await runFailingService({ dataDir })
  expect(empty.code).toBe(1)
  expect(empty.output).toMatch(/its state is missing|cannot be opened/)

  writeFileSync(state, kept)
  for (const ending of ['-wal', '-shm']) rmSync(state + ending, { force: true })
  const again = await startService({ dataDir })
  await readJson(again, '/projects')
  await again.stop()
})

test.concurrent('a credentials file that cannot be read ends the start, and is not replaced', async () => {
  const dataDir = newFolder()
  const first = await startService({ dataDir })
  expect(await first.stop()).toBe(0)
  const path = join(dataDir, 'credentials.json')
  writeFileSync(path, '{"api_key": ')
  const { code, output } = await runFailingService({ dataDir })
  expect(code).toBe(1)
  expect(output).toContain('delete it to get a new API key')
  expect(readFileSync(path, 'utf8')).toBe('{"api_key": ')
})

/**
 * Lines that a first start prints. Each kill follows one of them. If there is one kill only, it comes while
 * the demo project is filled.
 */
const STAGES = [/^demo +Adding/m, /^process /m, /^account /m, /^demo +\d+ of/m]
/** The kill comes at most this long after such a line. */
const MAX_AFTER_STAGE_MS = 900

test.concurrent('a first start that is killed at any moment is completed by the next one', async () => {
  const dataDir = newFolder()
  const random = createRandom(seed)
  for (let kill = 0; kill < repeats(1, { countPerDepth: 2 }); kill += 1) {
    const launch = launchService({ dataDir, seed: true })
    // A start that finds the work of an earlier one prints fewer lines.
    await Promise.race([launch.printed(STAGES[kill % STAGES.length] as RegExp), launch.ready])
    await sleep(random.below(MAX_AFTER_STAGE_MS))
    await launch.kill9()
  }
  const service = await startService({ dataDir, seed: true })
  const { projects } = await readJson<{ projects: { name: string }[] }>(service, '/projects')
  expect(projects.map(({ name }) => name)).toEqual(['demo'])
  const stats = await readJson<{ totals: { total_events: number } }>(service, '/stats?project=demo&since=30d')
  expect(stats.totals.total_events).toBe(DEMO_EVENTS)
  expect(await service.stop()).toBe(0)
})

test.concurrent('Ctrl-C stops the service cleanly at any moment, also while it reports that it is ready', async () => {
  const dataDir = newFolder()
  expect(await launchService({ dataDir }).stopAt(/^process /m)).toBe(0)
  for (let stop = 0; stop < repeats(1); stop += 1) {
    expect(await launchService({ dataDir }).stopAt(/^ready /m)).toBe(0)
  }
})

test.concurrent('the service continues, and stops cleanly, when nobody reads its log any more', async () => {
  const service = await startService({ env: { EPOCH_SECONDS: '1' } })
  service.closeOutput()
  const client = startTrackingClient({ credentials: service.credentials, prefix: 'unheard', pauseMs: 100 })
  // Each compacted epoch writes a line to the log.
  await eventually(() => expect(lakeFiles(service.dataDir).filter(isSegment).length).toBeGreaterThan(1))
  await client.stop()
  await readJson(service, '/projects')
  expect(await service.stop()).toBe(0)
})
