import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'

/** The API key of the owner, when somebody replaces it on one machine. */

afterAll(cleanUp)

const call = ({ baseUrl }: Service, key: string, method: string, path: string) =>
  fetch(baseUrl + path, { method, headers: { 'X-API-Key': key } })

test('a replaced key is in both files at once, and a start with a dead one says so and prints no command', async () => {
  const dataDir = newFolder()
  const read = (name: string) => readFileSync(join(dataDir, name), 'utf8')
  const first = await startService({ dataDir })
  const dead = first.credentials.api_key
  const response = await call(first, dead, 'POST', '/account/revoke-key')
  const { api_key } = (await response.json()) as { api_key: string }
  expect([response.status, api_key === dead]).toEqual([200, false])
  expect(JSON.parse(read('credentials.json'))).toEqual({ ...first.credentials, api_key })
  expect(read('api-key')).toBe(`${api_key}\n`)
  expect((await call(first, api_key, 'GET', '/account')).status).toBe(200)
  expect((await call(first, dead, 'GET', '/account')).status).toBe(401)
  await first.stop()

  const second = await startService({ dataDir })
  expect(second.output()).toContain('X-API-Key')
  expect(second.credentials.api_key).toBe(api_key)
  await second.stop()

  // As a version left it that did not write the files.
  writeFileSync(join(dataDir, 'credentials.json'), JSON.stringify({ ...second.credentials, api_key: dead }))
  const third = await startService({ dataDir })
  expect(third.output()).toContain('is dead: it was replaced')
  expect(third.output()).not.toContain('X-API-Key')
  expect(read('api-key')).toBe(`${api_key}\n`)
  await third.stop()
})
