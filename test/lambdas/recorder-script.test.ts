import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRecorderVersions, type RecorderScript, versionOf } from '#core/replays/recorder-versions'
import { recorderScripts } from '#lambdas/replay/recorder-script'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'

/** GET /replay.js, and the recorder by its version through releases of the service. */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

function scriptOf(code: string): RecorderScript {
  return { code, sha256: createHash('sha256').update(code).digest('hex') }
}

/** A process of a release that has this recorder. All share one state table. */
function release(script: RecorderScript) {
  const endpoints = recorderScripts({
    recorder: async () => script,
    recorderVersions: createRecorderVersions(service.state),
    log: () => {},
  })
  return async (row: 'recorderJs' | 'recorderVersion', version = '') => {
    const { path } = routes[row]
    const from = { method: 'GET', path, params: { version }, query: {}, headers: {}, ip: null }
    const { status, headers, body } = await endpoints[row]({ ...from, body: new Uint8Array() })
    return { status, headers, text: String(body) }
  }
}

const FIRST = scriptOf('record("ä", 1)')

test('the current recorder is cached for an hour, and its header names its own address', async () => {
  const { status, headers, text } = await release(FIRST)('recorderJs')
  expect([status, text, headers['Cache-Control']]).toEqual([200, FIRST.code, 'public, max-age=3600'])
  expect(headers).toMatchObject({
    'X-Replay-SHA256': FIRST.sha256,
    'X-Replay-Path': `/replay/recorder/${versionOf(FIRST)}`,
    'Access-Control-Allow-Origin': '*',
  })
})

test('a version that a page has loaded stays the same through later releases, and is cached for a year', async () => {
  await release(FIRST)('recorderVersion', versionOf(FIRST))
  const later = release(scriptOf('record(2)'))
  for (const get of [later, release(scriptOf('record(3)'))]) {
    const { status, headers, text } = await get('recorderVersion', versionOf(FIRST))
    expect([status, text]).toEqual([200, FIRST.code])
    expect(headers['Cache-Control']).toBe('public, max-age=31536000, immutable')
    expect(headers['X-Replay-SHA256']).toBe(FIRST.sha256)
  }
  expect((await later('recorderJs')).text).toBe('record(2)')
})

test('a version of a page that comes back at an older release is kept once', async () => {
  const script = scriptOf('record("again")')
  for (const get of [release(script), release(script)])
    expect((await get('recorderVersion', versionOf(script))).status).toBe(200)
  expect((await release(FIRST)('recorderVersion', versionOf(script))).text).toBe(script.code)
})

test.each(['ffffffffffffffff.js', 'FFFFFFFFFFFFFFFF.js', '..', '', 'x'.repeat(5_000)])(
  'a version that was never served is 404, and the message says which one there is: %.20s',
  async version => {
    const { status, text } = await release(FIRST)('recorderVersion', version)
    expect([status, text]).toEqual([404, expect.stringContaining('X-Replay-Path')])
  },
)

test('the largest recorder that we allow makes an item far below the limit of DynamoDB', async () => {
  // 40 KB gzip are the bound of the script: text that nothing compresses.
  const script = scriptOf(
    Array.from({ length: 900 }, (_, i) => createHash('sha512').update(`${i}`).digest('base64')).join(''),
  )
  expect((await release(script)('recorderVersion', versionOf(script))).status).toBe(200)
  const { client, table } = service.state
  const { Item } = await client.get({ TableName: table, Key: { pk: 'recorders', sk: versionOf(script) } })
  expect(JSON.stringify(Item).length).toBeLessThan(100_000)
})
