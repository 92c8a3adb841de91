import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { cleanUp, newFolder, startService } from '#test/support/service-process'

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/first-edition')

afterEach(cleanUp)

test('a data folder of the first edition opens and gives the same responses as before', async () => {
  const dataDir = join(newFolder(), 'data')
  cpSync(join(FIXTURE, 'data'), dataDir, { recursive: true })
  const { baseUrl, credentials } = await startService({ dataDir })
  const responses: Record<string, object> = JSON.parse(readFileSync(join(FIXTURE, 'responses.json'), 'utf8'))
  for (const [path, expected] of Object.entries(responses)) {
    const response = await fetch(`${baseUrl}${path}`, { headers: { 'X-API-Key': credentials.api_key } })
    expect(await response.json(), path).toMatchObject(expected)
  }
})
