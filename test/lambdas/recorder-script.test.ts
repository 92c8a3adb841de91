import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRecorderVersions, type RecorderScript } from '#core/replays/recorder-versions'
import { versionName } from '#core/replays/script-version'
import type { StateTable } from '#core/state/state-table'
import { recorderScripts } from '#lambdas/replay/recorder-script'
import { routes } from '#schemas/routes'
import { type HttpService, openHttpService } from '#test/support/http-service'
import { openTestState } from '#test/support/test-state'

/** GET /replay.js, and the recorder by its version through releases of the service. */

let service: HttpService
beforeAll(async () => {
  service = await openHttpService()
})
afterAll(() => service.close())

function scriptOf(code: string): RecorderScript {
  return { code, sha256: createHash('sha256').update(code).digest('hex') }
}

/** A process of a release that has this recorder. All share one state table, unless it has one of its own. */
function release(script: RecorderScript, state: StateTable = service.state) {
  const endpoints = recorderScripts({
    recorder: async () => script,
    recorderVersions: createRecorderVersions({ ...state, clock: service }),
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
    'X-Replay-Path': `/replay/recorder/${versionName(FIRST)}`,
    'Access-Control-Allow-Origin': '*',
  })
})

test('a version that a page has loaded stays the same through later releases, and is cached for a year', async () => {
  await release(FIRST)('recorderVersion', versionName(FIRST))
  const later = release(scriptOf('record(2)'))
  for (const get of [later, release(scriptOf('record(3)'))]) {
    const { status, headers, text } = await get('recorderVersion', versionName(FIRST))
    expect([status, text]).toEqual([200, FIRST.code])
    expect(headers['Cache-Control']).toBe('public, max-age=31536000, immutable')
    expect(headers['X-Replay-SHA256']).toBe(FIRST.sha256)
  }
  expect((await later('recorderJs')).text).toBe('record(2)')
})

test('a version of a page that comes back at an older release is kept once', async () => {
  const script = scriptOf('record("again")')
  for (const get of [release(script), release(script)])
    expect((await get('recorderVersion', versionName(script))).status).toBe(200)
  expect((await release(FIRST)('recorderVersion', versionName(script))).text).toBe(script.code)
})

test.each(['ffffffffffffffff.js', 'FFFFFFFFFFFFFFFF.js', '..', '', 'x'.repeat(5_000)])(
  'a version that was never served is 404, and the message says which one there is: %.20s',
  async version => {
    const { status, text } = await release(FIRST)('recorderVersion', version)
    expect([status, text]).toEqual([404, expect.stringContaining('X-Replay-Path')])
  },
)

test('a process that has read the names finds a version that another one keeps a second later', async () => {
  const script = scriptOf('record("later")')
  const other = release(FIRST)
  expect((await other('recorderVersion', versionName(script))).status).toBe(404)
  await release(script)('recorderVersion', versionName(script))
  service.wait(1_000)
  expect((await other('recorderVersion', versionName(script))).text).toBe(script.code)
})

test('a thousand invented names cost one read of the table in a second, and no write', async () => {
  const asked: string[] = []
  const client = new Proxy(service.state.client, {
    get(target, name) {
      asked.push(String(name))
      return Reflect.get(target, name).bind(target)
    },
  })
  const get = release(FIRST, { ...service.state, client })
  const invented = Array.from({ length: 500 }, (_, i) => `${i.toString(16).padStart(16, 'e')}.js`)
  for (const names of [invented, invented.map(name => name.replace('e', 'd'))]) {
    const responses = await Promise.all(names.map(name => get('recorderVersion', name)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([404]))
  }
  expect(asked).toEqual(['get'])
  service.wait(1_000)
  await get('recorderVersion', invented[0])
  expect(asked).toEqual(['get', 'get'])
})

test('after a failure of the table the next request reads the names again', async () => {
  let isDown = true
  const client = new Proxy(service.state.client, {
    get: (target, name) =>
      isDown
        ? async () => {
            throw Object.assign(new Error('unreachable'), { name: 'TimeoutError' })
          }
        : Reflect.get(target, name).bind(target),
  })
  await release(FIRST)('recorderVersion', versionName(FIRST))
  const get = release(scriptOf('record(2)'), { ...service.state, client })
  expect((await get('recorderVersion', versionName(FIRST))).status).toBe(503)
  isDown = false
  expect((await get('recorderVersion', versionName(FIRST))).status).toBe(200)
})

test('a version above the bound of the names is not kept, and caches ask for it again', async () => {
  const full = await openTestState()
  try {
    const many = Array.from({ length: 2_000 }, (_, i) => `${i.toString(16).padStart(16, '0')}.js`)
    const Item = { pk: 'recorders', sk: 'names', version_names: new Set(many) }
    expect(JSON.stringify(many).length).toBeLessThan(50_000)
    await full.client.put({ TableName: full.table, Item })
    const script = scriptOf('record("one too many")')
    const { status, headers, text } = await release(script, full)('recorderVersion', versionName(script))
    expect([status, text, headers['Cache-Control']]).toEqual([200, script.code, 'public, max-age=3600'])
  } finally {
    await full.close()
  }
})

test('the largest recorder that we allow makes an item far below the limit of DynamoDB', async () => {
  // 40 KB gzip are the bound of the script: text that nothing compresses.
  const script = scriptOf(
    Array.from({ length: 900 }, (_, i) => createHash('sha512').update(`${i}`).digest('base64')).join(''),
  )
  expect((await release(script)('recorderVersion', versionName(script))).status).toBe(200)
  const { client, table } = service.state
  const { Item } = await client.get({ TableName: table, Key: { pk: 'recorders', sk: versionName(script) } })
  expect(JSON.stringify(Item).length).toBeLessThan(100_000)
})
