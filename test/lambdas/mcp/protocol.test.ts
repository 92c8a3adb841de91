import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { MAX_TOOLS } from '#lambdas/mcp/tools'
import { BASE_URL } from '#test/support/http-service'
import { type McpService, openMcpService, textOf } from '#test/support/mcp-service'

/** What POST /mcp promises to clients of both revisions of the protocol. */

let service: McpService
let project: Project
beforeAll(async () => {
  service = await openMcpService()
  project = await service.createProject()
  await service.fill([[project, [{ event: 'page_view' }, { event: 'signup' }]]])
})
afterAll(() => service.close())

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request as a client without the SDK sends it. */
async function post(body: unknown, { method = 'POST', ...headers }: Record<string, string> = {}) {
  const credential =
    headers['X-API-Key'] === undefined ? { Authorization: `Bearer ${await service.token()}` } : {}
  const response = await fetch(`http://127.0.0.1:${service.port}/mcp`, {
    method,
    headers: { 'Content-Type': 'application/json', ...credential, ...headers },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: MODERN } }
const headersFor = (method: string, name?: string) => ({
  ...{ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': method },
  ...(name !== undefined && { 'Mcp-Name': name }),
})

describe.each(['modern', 'legacy'] as const)('a client of the %s revision', era => {
  test('lists the tools and calls one', async () => {
    const client = await service.connect({ era })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('overview')
    const result = await client.callTool({ name: 'overview', arguments: { project: project.name } })
    expect(textOf(result)).toContain('|signup|1|1|')
    expect(result.structuredContent).toMatchObject({ totals: { event_names: 2 } })
  })

  test('sees at most 8 tools in 4,000 tokens', async () => {
    const { tools } = await (await service.connect({ era })).listTools()
    expect(tools.length).toBeLessThanOrEqual(MAX_TOOLS)
    expect(countTokens(JSON.stringify(tools))).toBeLessThan(4_000)
  })

  test('reads the first day that each tool takes by default', async () => {
    const { tools } = await (await service.connect({ era })).listTools()
    const defaults = tools.flatMap(({ name, inputSchema: { properties = {} } }) => {
      const { since } = properties as Record<string, { description?: string }>
      return since === undefined ? [] : [[name, /; default (.+)/.exec(since.description ?? '')?.[1]]]
    })
    expect(Object.fromEntries(defaults)).toEqual({
      overview: '30d',
      query: '7d',
      journeys: '30d; of retention its first cohort',
      people: '30d of a person or steps, else 7d; of a cohort the first of the grid',
      changes: '7d',
      check: '1d',
    })
  })

  test('knows which tools only read and which one deletes', async () => {
    const { tools } = await (await service.connect({ era })).listTools()
    const of = (is: (annotations: Record<string, unknown>) => unknown) =>
      tools.filter(({ annotations = {} }) => is(annotations)).map(({ name }) => name)
    expect(of(({ readOnlyHint }) => readOnlyHint)).toEqual([
      'overview',
      'query',
      'journeys',
      'people',
      'changes',
      'check',
    ])
    expect(of(({ destructiveHint }) => destructiveHint)).toEqual(['remove'])
  })

  test('gets an unknown tool refused', async () => {
    const client = await service.connect({ era })
    const call = client.callTool({ name: 'drop_everything', arguments: {} })
    await expect(call).rejects.toThrow('drop_everything')
  })
})

describe('a request of the revision 2026-07-28', () => {
  test('needs no handshake, and lists say how long they are good', async () => {
    const { status, body } = await post(LIST, headersFor('tools/list'))
    expect(status).toBe(200)
    expect(body.result).toMatchObject({ ttlMs: 3_600_000, cacheScope: 'private', resultType: 'complete' })
  })

  test('finds the server by server/discover', async () => {
    const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: MODERN } }
    const { body } = await post(discover, headersFor('server/discover'))
    expect(body.result).toMatchObject({
      supportedVersions: expect.arrayContaining(['2026-07-28']),
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: expect.stringContaining('overview'),
    })
  })

  test.each([
    ['Mcp-Method of another method', { 'Mcp-Method': 'tools/call' }, LIST],
    [
      'Mcp-Name of another tool',
      headersFor('tools/call', 'remove'),
      { ...LIST, method: 'tools/call', params: { name: 'overview', arguments: {}, _meta: MODERN } },
    ],
    ['a revision in the header that the body does not name', { 'MCP-Protocol-Version': '2025-11-25' }, LIST],
  ])('with %s is refused', async (_, headers, body) => {
    const answer = await post(body, { ...headersFor('tools/list'), ...headers })
    expect(answer.status).toBe(400)
    expect(answer.body.error.code).toBeLessThan(0)
  })

  test('to listen to changes is refused at once: nothing would ever come', async () => {
    const listen = {
      ...LIST,
      method: 'subscriptions/listen',
      params: { notifications: { toolsListChanged: true }, _meta: MODERN },
    }
    expect((await post(listen, headersFor('subscriptions/listen'))).body.error).toBeDefined()
  })
})

test('a handshake of an older client agrees on its revision, and gets JSON', async () => {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'old', version: '1' },
  }
  const { headers, body } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params })
  expect(headers.get('content-type')).toBe('application/json')
  expect(body.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'footfall' } })
})

test('a notification is received without an answer', async () => {
  const { status, body } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  expect([status, body]).toEqual([202, null])
})

test.each(['GET', 'DELETE'])('%s is refused: there is no stream and no session', async method => {
  const { status, headers } = await post(null, { method })
  expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
})

test.each<[string, string, number]>([
  ['this service', BASE_URL, 200],
  ['the machine of the caller', 'http://localhost:6274', 200],
  ['another site', 'https://evil.example', 403],
  ['a name that an attacker lets point here', 'http://attacker.example:8787', 403],
  ['a sandbox', 'null', 403],
])('a page of %s is answered only if it may call', async (_, origin, status) => {
  expect((await post(LIST, { ...headersFor('tools/list'), Origin: origin })).status).toBe(status)
})

test('a 401 names the metadata of this resource', async () => {
  const { status, headers, body } = await post(LIST, { Authorization: 'Bearer aas_0' })
  const address = `${BASE_URL}/.well-known/oauth-protected-resource/mcp`
  expect([status, body.error, body.resource_metadata]).toEqual([401, 'AUTH_REQUIRED', address])
  expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${address}", error="invalid_token"`)
})

test.each<[string, (key: string) => Record<string, string>]>([
  ['Bearer', key => ({ Authorization: `Bearer ${key}` })],
  ['X-API-Key', key => ({ 'X-API-Key': key })],
])('an API key as %s reads and changes nothing', async (_, headers) => {
  const call = (name: string, args: object) =>
    post(
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
      headers(service.key),
    )
  expect((await call('overview', { project: project.name })).body.result.isError).toBeUndefined()
  for (const [name, args] of [
    ['manage', { action: 'create_project', values: { name: 'made-by-key' } }],
    ['remove', { what: 'project', id: project.id }],
  ] as const) {
    expect((await call(name, args)).body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/^FORBIDDEN/) }],
    })
  }
  expect((await service.projects.list(service.owner.id)).map(({ name }) => name)).not.toContain('made-by-key')
})

test('a cookie is no credential here', async () => {
  const headers = await service.browser()
  expect((await post(LIST, { ...headers, Authorization: '' })).status).toBe(401)
})

test('none of these requests was logged as a failure', () => {
  expect(service.logged).toEqual([])
})

describe('a null', () => {
  const call = (params: unknown, method = 'tools/call') => post({ jsonrpc: '2.0', id: 1, method, params })

  test.each<[string, unknown, string]>([
    ['in the place of params', null, 'tools/list'],
    ['in the place of arguments', { name: 'overview', arguments: null }, 'tools/call'],
    ['in the place of one argument', { name: 'overview', arguments: { project: null } }, 'tools/call'],
    ['in the place of the metadata', { name: 'overview', _meta: null }, 'tools/call'],
    ['in the place of a cursor', { cursor: null }, 'resources/list'],
    [
      'in the place of the metadata of a resource',
      { uri: 'footfall://glossary', _meta: null },
      'resources/read',
    ],
  ])('%s is as absent', async (_, params, method) => {
    const { status, body } = await call(params, method)
    expect([status, body.error]).toEqual([200, undefined])
    expect(body.result.isError ?? false).toBe(false)
  })

  test('in the place of a required name is missing', async () => {
    expect((await call({ name: null })).body.error).toBeDefined()
  })
})

test('each argument says what it is', async () => {
  const { tools } = await (await service.connect()).listTools()
  const silent = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
    Object.entries(properties).flatMap(([argument, schema]) =>
      (schema as { description?: string }).description ? [] : [`${name}.${argument}`],
    ),
  )
  expect(silent).toEqual([])
})

test('the list of resources, which names projects, is for its caller alone and not for long', async () => {
  const list = { ...LIST, method: 'resources/list' }
  const { body } = await post(list, headersFor('resources/list'))
  expect(body.result.resources.length).toBeGreaterThan(0)
  expect(body.result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' })
})

test('a page may read the challenge of a 401', async () => {
  const { status, headers } = await post(LIST, { Authorization: 'Bearer aas_0' })
  expect(status).toBe(401)
  const exposed = headers.get('access-control-expose-headers')?.split(', ')
  expect(exposed).toEqual(expect.arrayContaining(['WWW-Authenticate', 'Retry-After', 'ETag']))
})

test.each<[string, () => Promise<string>, string[]]>([
  ['an API key', () => service.newKey(), []],
  ['a session that reads', () => service.token(['projects:read', 'analytics:read']), []],
  ['a session that sends feedback', () => service.token(['feedback:write']), ['manage']],
  ['a session that changes experiments', () => service.token(['experiments:write']), ['manage', 'remove']],
])('%s sees the tools that it may use', async (_, newToken, changing) => {
  const token = await newToken()
  const { tools } = await (await service.connect({ token })).listTools()
  const names = tools.map(({ name }) => name)
  expect(names.filter(name => ['manage', 'remove'].includes(name))).toEqual(changing)
  expect(names).toContain('query')
})
