import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { type McpService, openMcpService, textOf } from '#test/support/mcp-service'
import { attacks } from './attacks.ts'

/** Texts of visitors are data: whatever they hold, they stay in the fence of an answer. */

const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>[\]`]/u

let service: McpService
let project: Project
let client: Client
beforeAll(async () => {
  service = await openMcpService({ limits: 'pro.rate_limit_rpm=-1' })
  project = await service.createProject()
  const planted = attacks.flatMap((attack, i) => [
    { event: attack, user: attack, session: attack, at: 60_000 * (i + 1) },
    {
      event: 'page_view',
      user: `u${i}`,
      session: `s${i}`,
      at: 60_000 * (i + 1),
      properties: { path: attack, utm_source: attack, plan: attack, referrer: attack, title: attack },
    },
    { event: 'signup', user: `u${i}`, session: `s${i}`, at: 30_000 * (i + 1) },
  ])
  await service.fill([[project, planted]])
  client = await service.connect()
})
afterAll(() => service.close())

/** The answer without its fence; and what the fence holds. */
function parted(text: string): { outside: string; inside: string } {
  const [, tag] = /^<(data-[0-9a-f]{8})>$/m.exec(text) ?? []
  if (tag === undefined) return { outside: text, inside: '' }
  const lines = text.split('\n')
  expect(lines.filter(line => line === `<${tag}>`)).toHaveLength(1)
  expect(lines.filter(line => line === `</${tag}>`)).toHaveLength(1)
  const [from, to] = [lines.indexOf(`<${tag}>`), lines.indexOf(`</${tag}>`)]
  const outside = [...lines.slice(0, from), ...lines.slice(to + 1)].join('\n')
  return { outside: outside.replaceAll(tag, ''), inside: lines.slice(from + 1, to).join('\n') }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}

function expectFenced(text: string): string {
  const { outside, inside } = parted(text)
  expect(outside).not.toMatch(/pwn\d/)
  for (const line of inside.split('\n')) expect(line).not.toMatch(UNSAFE)
  return inside
}

const reads: [name: string, args: Record<string, unknown>][] = [
  ['overview', { since: '7d' }],
  ['query', {}],
  ['query', { group_by: ['event'], limit: 1_000 }],
  ['query', { group_by: ['user_id', 'session_id'], limit: 1_000 }],
  ['query', { group_by: ['properties.plan'], compare: true, limit: 1_000 }],
  ['query', { report: 'pages', limit: 1_000 }],
  ['query', { report: 'sessions', limit: 1_000 }],
  ['query', { report: 'live' }],
  ['journeys', { kind: 'paths', goal: 'signup', since: '7d' }],
  ['journeys', { kind: 'conversion', goal: 'signup', by: 'plan' }],
  ['journeys', { kind: 'funnel', steps: [{ event: 'page_view' }, { event: 'signup' }], by: 'plan' }],
  ['people', { limit: 1_000 }],
  ['people', { user_id: 'u1', fields: ['timestamp', 'event', 'path', 'title', 'referrer'] }],
  ['people', { cohort: '2026-11-16', event: 'page_view' }],
  ['changes', {}],
  ['check', {}],
]

test('at least 60 attacks are planted', () => {
  expect(attacks.length).toBeGreaterThanOrEqual(60)
})

describe.each(reads)('%s %j', (name, args) => {
  test('shows no text of a visitor outside its fence, and none that could end it', async () => {
    const result = await client.callTool({
      name,
      arguments: { project: project.name, max_tokens: 20_000, ...args },
    })
    expect(result.isError, textOf(result)).toBeFalsy()
    expectFenced(textOf(result))
    const { tables, warnings, plain: _, ...ours } = result.structuredContent as Record<string, unknown>
    for (const text of textsIn([tables, warnings])) expect(text).not.toMatch(UNSAFE)
    expect(JSON.stringify(ours)).not.toMatch(/pwn\d/)
  })
})

test('every attack comes out in the list of events, and is an argument of the next call as it is shown', async () => {
  const result = await client.callTool({
    name: 'query',
    arguments: { project: project.name, group_by: ['event'], limit: 1_000, max_tokens: 20_000 },
  })
  const rows = (result.structuredContent as { tables: { rows: [string, number][] }[] }).tables[0]?.rows ?? []
  const shown = rows.map(([event]) => event).filter(event => event.includes('pwn'))
  expect(shown).toHaveLength(attacks.length)
  for (const event of shown.slice(0, 12)) {
    const next = await client.callTool({
      name: 'query',
      arguments: {
        project: project.name,
        metrics: ['event_count'],
        filters: [{ field: 'event', op: 'eq', value: event }],
      },
    })
    expect(next.structuredContent).toMatchObject({ totals: { event_count: 1 } })
  }
}, 120_000)

test('an argument with an attack is repeated in a fence alone', async () => {
  for (const attack of attacks) {
    for (const args of [
      { project: attack },
      { project: project.name, [attack]: 1 },
      { project: project.name, since: attack },
    ]) {
      expectFenced(textOf(await client.callTool({ name: 'query', arguments: args })))
    }
  }
}, 300_000)

test('a fence has another name in each answer', async () => {
  const names = new Set<string | undefined>()
  for (let i = 0; i < 4; i++) {
    names.add(/<(data-\w+)>/.exec(textOf(await client.callTool({ name: 'overview', arguments: {} })))?.[1])
  }
  expect(names.size).toBe(4)
})
