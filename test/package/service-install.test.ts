import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { megabytesOf, runIn, serviceClone, startIn } from '#test/support/service-clone'
import { cleanUp, newFolder } from '#test/support/service-process'
import { waitForTotal } from '#test/support/service-reads'
import { sendEvents } from '#test/support/tracking-client'

/** A clone with `npm ci --omit=dev`, as a server has it: what docs/server.md does. */

/**
 * Today 463 MB: Node 189, DuckDB 70, the browser of website analyses 67. All packages are more than twice as
 * much.
 */
const MAX_MB = 500

let clone: string
beforeAll(async () => {
  clone = await serviceClone()
})
afterAll(cleanUp)

test('it has the packages of the service and none of the tests, and is less than half of all', () => {
  for (const name of ['vitest', 'typescript', 'aws-cdk-lib', '@aws-sdk/client-athena', 'playwright-core'])
    expect(existsSync(join(clone, 'node_modules', name)), name).toBe(false)
  expect(megabytesOf(join(clone, 'node_modules'))).toBeLessThan(MAX_MB)
})

test('`npm start` installs nothing more, and takes an event that a report counts', async () => {
  const packages = () => readdirSync(join(clone, 'node_modules')).filter(name => name !== '.cache')
  const before = packages()
  const env = { DATA_DIR: newFolder(), PORT: '0', SEED_DEMO: 'false' }
  const service = await startIn(clone, 'npm', ['start'], { env })
  expect(service.output()).not.toContain('installs its packages')
  const sent = await sendEvents(3, { credentials: service.credentials, prefix: 'installed' })
  await waitForTotal(service, sent.length)
  for (const path of ['/', '/tracker.js', '/replay.js', '/openapi.json', '/auth/sign-in']) {
    const { status } = await fetch(service.baseUrl + path)
    expect({ path, status }).toEqual({ path, status: 200 })
  }
  const initialize = await fetch(`${service.baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      'X-API-Key': service.credentials.api_key,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    }),
  })
  expect(initialize.status).toBe(200)
  // The command line is built here too, and makes a copy with the packages of the service.
  await runIn(clone, 'npm', ['run', 'build:cli'])
  const footfall = (...words: string[]) =>
    runIn(clone, join(clone, 'node_modules/.bin/node'), ['build/cli/footfall.mjs', ...words])
  const backups = newFolder()
  await footfall('backup', backups, '--data', service.dataDir)
  expect(await footfall('verify', backups)).toContain(`${sent.length} events of 1 projects`)
  expect(await service.end()).toBe(0)
  expect(packages()).toEqual(before)
})
