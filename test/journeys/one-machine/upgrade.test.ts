import { cpSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { readJson } from '#test/support/service-reads'

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/first-edition')

afterEach(cleanUp)

test('a data folder of the first edition opens and gives the same responses as before', async () => {
  const dataDir = join(newFolder(), 'data')
  cpSync(join(FIXTURE, 'data'), dataDir, { recursive: true })
  const first = await startService({ dataDir, env: { EPOCH_SECONDS: '1' } })
  await expectResponses(first)
  expect(readdirSync(join(dataDir, 'lake'))).toEqual(['hot', 'segments'])
  // The hot events of the first edition are compacted, and their copies are no longer counted.
  await eventually(() => expect(first.output()).toContain('"code":"EPOCH_COMPACTED"'))
  await expectResponses(first)
  const { projects } = await readJson<{ projects: { total_events: number }[] }>(first, '/projects')
  expect(projects[0]?.total_events).toBe(136)
  expect(await first.stop()).toBe(0)
  expect(first.output()).toContain('"code":"LAKE_UPGRADED"')

  const second = await startService({ dataDir })
  await expectResponses(second)
  expect(second.output()).not.toContain('LAKE_UPGRAD')
})

async function expectResponses(service: Service): Promise<void> {
  const responses: Record<string, object> = JSON.parse(readFileSync(join(FIXTURE, 'responses.json'), 'utf8'))
  for (const [path, expected] of Object.entries(responses)) {
    expect(await readJson(service, path), path).toMatchObject(expected)
  }
}
