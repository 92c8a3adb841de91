import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { readJson } from '#test/support/service-reads'

const FIXTURES = resolve(import.meta.dirname, '../fixtures')

afterEach(cleanUp)

test.each(['2026-11-23'])(
  'a data folder that the code of %s wrote gives the same responses as then, also when its hot events are in segments',
  async day => {
    const dataDir = join(newFolder(), 'data')
    cpSync(join(FIXTURES, day, 'data'), dataDir, { recursive: true })
    const first = await startService({ dataDir, env: { EPOCH_SECONDS: '1' } })
    await expectResponses(first, day)
    await eventually(() => expect(first.output()).toContain('"code":"EPOCH_COMPACTED"'))
    await expectResponses(first, day)
    expect(await first.stop()).toBe(0)

    const second = await startService({ dataDir })
    await expectResponses(second, day)
  },
)

async function expectResponses(service: Service, day: string): Promise<void> {
  const text = readFileSync(join(FIXTURES, day, 'responses.json'), 'utf8')
  const responses: Record<string, object> = JSON.parse(text)
  for (const [path, expected] of Object.entries(responses)) {
    expect(await readJson(service, path), path).toMatchObject(expected)
  }
}
