import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { type McpService, openMcpService, textOf } from '#test/support/mcp-service'

/** Nothing is removed before somebody has confirmed exactly that. */

let service: McpService
let project: Project
let other: Project
beforeAll(async () => {
  service = await openMcpService()
})
beforeEach(async () => {
  project = await service.createProject()
  other = await service.createProject()
})
afterAll(() => service.close())

const remove = (client: Client, args: object) =>
  client.callTool({ name: 'remove', arguments: { what: 'project', ...args } })
const isThere = async ({ id }: Project) =>
  (await service.projects.list(service.owner.id)).some(each => each.id === id)
const tokenOf = (result: { structuredContent?: unknown }) =>
  (result.structuredContent as { totals: { confirm: string } }).totals.confirm

test('an annotation is removed alone, with the token of its dry run', async () => {
  const client = await service.connect()
  const [gone, kept] = await Promise.all(
    ['Gone', 'Kept'].map(title =>
      service.annotations.create(project.id, { occurred_at: '2026-11-20', title }),
    ),
  )
  const args = { what: 'annotation', id: gone?.id, project: project.name }
  const dryRun = await remove(client, args)
  expect(textOf(dryRun)).toContain('Gone')
  expect(await service.annotations.list(project.id)).toHaveLength(2)
  await remove(client, { ...args, confirm: tokenOf(dryRun) })
  expect(await service.annotations.list(project.id)).toEqual([kept])
  expect(textOf(await remove(client, args))).toContain('NOT_FOUND')
})

describe('a client that can ask its human', () => {
  test('removes after a yes, and the human reads what goes', async () => {
    const questions: string[] = []
    const client = await service.connect({
      human: question => {
        questions.push(question)
        return { action: 'accept', content: { confirm: true } }
      },
    })
    const result = await remove(client, { id: project.name })
    expect(questions).toEqual([`Remove the project ${project.name} with 0 events? This cannot be undone.`])
    expect(textOf(result)).toContain('deleted')
    expect([await isThere(project), await isThere(other)]).toEqual([false, true])
  })

  test.each([
    ['says no', { action: 'decline' }],
    ['goes away', { action: 'cancel' }],
    ['leaves the box empty', { action: 'accept', content: { confirm: false } }],
  ] as const)('removes nothing when the human %s', async (_, answer) => {
    const client = await service.connect({ human: () => answer })
    const result = await remove(client, { id: project.name })
    expect(textOf(result)).toContain('DECLINED')
    expect(await isThere(project)).toBe(true)
  })

  test('cannot confirm by a token instead', async () => {
    const token = tokenOf(await remove(await service.connect(), { id: project.id }))
    const client = await service.connect({ human: () => ({ action: 'decline' }) })
    await remove(client, { id: project.id, confirm: token })
    expect(await isThere(project)).toBe(true)
  })
})

describe('the signed state of a question', () => {
  const capabilities = { elicitation: { form: {} } }
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }

  async function call(token: string, args: object, more: object = {}) {
    const params = { name: 'remove', arguments: { what: 'project', ...args }, _meta: envelope, ...more }
    const response = await fetch(`http://127.0.0.1:${service.port}/mcp`, {
      method: 'POST',
      headers: {
        ...{ Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        ...{ 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/call', 'Mcp-Name': 'remove' },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    return (await response.json()) as { result: { resultType: string; requestState: string } }
  }
  const YES = { inputResponses: { confirm: { action: 'accept', content: { confirm: true } } } }

  test('is good for the removal that was asked about', async () => {
    const token = await service.token()
    const { result } = await call(token, { id: project.id })
    expect(result.resultType).toBe('input_required')
    await call(token, { id: project.id }, { ...YES, requestState: result.requestState })
    expect(await isThere(project)).toBe(false)
  })

  test('is not good for another removal, another credential, or when it was changed', async () => {
    const token = await service.token()
    const { result } = await call(token, { id: project.id })
    const { requestState } = result
    await call(token, { id: other.id }, { ...YES, requestState })
    await call(await service.token(), { id: project.id }, { ...YES, requestState })
    await call(token, { id: project.id }, { ...YES, requestState: `${requestState.slice(0, -3)}AAA` })
    await call(token, { id: project.id }, YES)
    expect([await isThere(project), await isThere(other)]).toEqual([true, true])
  })
})

describe.each(['modern', 'legacy'] as const)('a client of the %s revision that cannot ask', era => {
  test('gets a dry run, and removes with its token', async () => {
    const client = await service.connect({ era })
    const dryRun = await remove(client, { id: project.name })
    expect(textOf(dryRun)).toMatch(/^Dry run: nothing was removed/)
    expect(await isThere(project)).toBe(true)
    const token = tokenOf(dryRun)
    expect(textOf(await remove(client, { id: other.name, confirm: token }))).toContain('not good')
    expect(textOf(await remove(client, { id: project.name, confirm: 'v1.x.y' }))).toContain('not good')
    expect(await isThere(project)).toBe(true)
    await remove(client, { id: project.name, confirm: token })
    expect([await isThere(project), await isThere(other)]).toEqual([false, true])
  })

  test('of another session gets nothing removed by the token', async () => {
    const token = tokenOf(await remove(await service.connect({ era }), { id: project.id }))
    await remove(await service.connect({ era }), { id: project.id, confirm: token })
    expect(await isThere(project)).toBe(true)
  })
})

test('a person is counted first, and erased by any id', async () => {
  await service.fill([[project, [{ event: 'signup', user: 'u-7' }]]])
  const client = await service.connect()
  const args = { what: 'person', id: 'u-7', project: project.name }
  const dryRun = await remove(client, args)
  expect(dryRun.structuredContent).toMatchObject({ tables: [{ columns: ['user_id'], rows: [['u-7']] }] })
  const result = await remove(client, { ...args, confirm: tokenOf(dryRun) })
  expect(textOf(result)).toMatch(/hidden at once.*era_/)
})

test.each([
  ['an unknown project', { id: 'nope' }, 'NOT_FOUND'],
  ['a person without the project', { what: 'person', id: 'u1' }, 'PROJECT_REQUIRED'],
  ['an unknown experiment', { what: 'experiment', id: 'exp_0' }, 'EXPERIMENT_NOT_FOUND'],
  ['an unknown portfolio', { what: 'portfolio', id: 'nope' }, 'NOT_FOUND'],
  ['an annotation without the project', { what: 'annotation', id: 'ann_0' }, 'PROJECT_REQUIRED'],
  ['another kind of thing', { what: 'account', id: 'me' }, 'INVALID_ARGUMENTS'],
])('%s is refused', async (_, args, code) => {
  const result = await remove(await service.connect(), args)
  expect([result.isError, textOf(result).split(':')[0]]).toEqual([true, code])
})

test('a session that only reads removes nothing, and learns the scope', async () => {
  const client = await service.connect({ token: await service.token(['projects:read', 'analytics:read']) })
  const dryRun = await remove(client, { id: project.id })
  const result = await remove(client, { id: project.id, confirm: tokenOf(dryRun) })
  expect(textOf(result)).toMatch(/^FORBIDDEN(.|\n)*projects:write/)
  expect(await isThere(project)).toBe(true)
})
