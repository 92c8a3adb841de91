import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { createBridge } from '#cli/mcp/bridge'
import { cleanUp, newFolder } from '#test/support/service-process'
import { withServer } from './with-server.ts'
import { createRunner } from './world.ts'

/** What a server may answer that is not ours. */

const run = createRunner({ AA_CONFIG_DIR: newFolder(), COLUMNS: '80' })
afterAll(cleanUp)

test('an answer of 66 MB is reported as too large, not as a missing service, also by the tools of assistants', async () => {
  const tooLarge = expect.stringMatching(/^The answer of http:.* is larger than 64 MiB/)
  // 66 MiB, of which the same one is written again and again.
  const body = new Array(66).fill(Buffer.alloc(1_048_576, ' '))
  await withServer(200, body, async url => {
    const { code, stderr } = await run(['--demo', 'list', '--json', '--base-url', url])
    expect({ code, ...JSON.parse(stderr) }).toMatchObject({
      ...{ code: 1, error: 'UNEXPECTED_ANSWER', retryable: true, message: tooLarge },
    })
    const credential = { token: async () => 'aat_1', renewed: async () => null }
    const answer = await createBridge({ fetch }, url, credential)({ id: 1, method: 'tools/list' })
    expect(answer).toMatchObject({ error: { message: tooLarge } })
  })
})

test('a redirect is not followed, so no token reaches the place that it names', async () => {
  const visits: string[] = []
  const place = createServer((request, response) => {
    visits.push(String(request.url))
    response.end('{}')
  })
  await new Promise<void>(resolve => place.listen(0, '127.0.0.1', resolve))
  const Location = `http://127.0.0.1:${(place.address() as AddressInfo).port}/`
  for (const status of [301, 302, 307, 308]) {
    const command = (url: string) => run(['list', '--json', '--demo', '--base-url', url])
    expect((await withServer(status, '{}', command, { Location })).code).toBe(1)
  }
  place.close()
  expect(visits).toEqual([])
})

test('what a service writes into a code of a sign-in does not change the terminal', async () => {
  const started = {
    ...{
      auth_request_id: 'aar_1',
      poll_token: 'aap_1',
      authorize_url: 'https://example.com/a?r=aar_12345678',
    },
    ...{ approval_code: 'AB\u001b[2J\u202eCD\r', expires_at: Date.now() + 60_000, scopes: [] },
  }
  const { stderr } = await withServer(200, JSON.stringify(started), url =>
    run(['login', '--wait', '--base-url', url], { AA_CONFIG_DIR: newFolder(), AA_AUTH_TIMEOUT_MS: '1' }),
  )
  expect(stderr).toContain('AB\\u{1b}[2J\\u{202e}CD\\u{d}')
  expect(stderr).toContain('https://example.com/a?r=aar_12345678')
  expect(stderr).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u)
})
