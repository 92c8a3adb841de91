import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Route } from '#schemas/route'
import { pathParameters, routes } from '#schemas/routes'
import { eventually } from '#test/support/eventually'
import type { Service } from '#test/support/service-process'
import { sharedService } from '#test/support/shared-service'

/** With SEED_DEMO=false nothing leads a reader to a demo that is not there. */

const OF_DEMO =
  /\bdemo session|demo\/session|DemoSession|exp_demo|anon_zq8|\b(a|the|this) demo\b|(?<!projects)\/demo\//i

let service: Service
beforeAll(async () => {
  service = await sharedService()
})

/** Whatever anybody may read by its address alone: documents, scripts and pages. */
const open = Object.values<Route>(routes).filter(
  ({ auth, method, path }) =>
    method === 'GET' && (auth === 'none' || auth === 'browser') && pathParameters(path).length === 0,
)

test('there are documents and pages to read', () => {
  expect(open.map(({ path }) => path)).toEqual(
    expect.arrayContaining(['/', '/llms.txt', '/auth.md', '/install.md', '/openapi.json', '/auth/sign-in']),
  )
})

describe.each(open.map(({ path }) => path))('GET %s', path => {
  test.each(['text/html', '*/*'])('names no demo to who accepts %s', async accept => {
    const response = await fetch(service.baseUrl + path, { headers: { Accept: accept }, redirect: 'manual' })
    expect((await response.text()).match(OF_DEMO)).toBeNull()
  })
})

test.each(['initialize', 'tools/list', 'resources/list', 'prompts/list'])(
  'MCP %s names no demo',
  async method => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'a', version: '1' },
    }
    const response = await fetch(`${service.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        'X-API-Key': service.credentials.api_key,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const text = await response.text()
    expect(text).toContain('"jsonrpc"')
    expect(text.match(OF_DEMO)).toBeNull()
  },
)

test('a part of the OpenAPI document has nothing of it either', async () => {
  const part = (query: string) => fetch(`${service.baseUrl}/openapi.json?${query}`)
  expect((await part('path=/demo/session')).status).toBe(404)
  expect(await (await part('tag=Agent%20Sessions')).text()).not.toMatch(OF_DEMO)
})

test('the text of the start names no demo, and its commands create a project and read it', async () => {
  const [create = '', read = ''] = await eventually(() => {
    const lines = [...service.output().matchAll(/^ *(curl .*)$/gm)].map(([, command = '']) => command)
    // One more prints a link of sign-in.
    const commands = lines.filter(line => !line.includes('--unix-socket'))
    expect(commands).toHaveLength(2)
    return commands
  })
  expect(service.output().match(OF_DEMO)).toBeNull()
  // Other files use the service too, so the project has a name of its own.
  const run = async (command: string) => {
    const mine = command.replace('my-site', 'site-of-no-demo')
    return JSON.parse((await promisify(execFile)('bash', ['-c', mine])).stdout)
  }
  expect((await run(create)).snippet).toContain('/tracker.js')
  expect((await run(read)).totals).toEqual({ unique_users: 0, total_events: 0 })
})
