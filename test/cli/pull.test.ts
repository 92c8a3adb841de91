import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { listedHash } from '#core/identity/erasure-feed'
import { applyErasures } from '#local/pull/apply-erasures'
import { writePull } from '#local/pull/write-pull'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'
import type { Runner } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { shellWords } from './shell-words.ts'
import { signIn } from './sign-in.ts'
import { createRunner } from './world.ts'

/** `footfall pull`: the events of a project in a file of DuckDB or in Parquet. */

const ORIGIN = { project: 'shop', project_id: 'proj_1', erasures_since: '2026-11-30T00:00:00.000Z' }

let service: DemoService
let run: Runner
let folder: string
beforeAll(async () => {
  service = await demoService()
  folder = newFolder()
  run = createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), DATA_DIR: service.dataDir })
  await signIn(run, service)
})
afterAll(cleanUp)

async function rowsOf(statement: string, file = ':memory:'): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(statement)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function send(path: string, body: object, key?: string): Promise<number> {
  const headers = { 'User-Agent': HUMAN_USER_AGENT, ...(key !== undefined && { 'X-API-Key': key }) }
  return (await fetch(service.baseUrl + path, { method: 'POST', headers, body: JSON.stringify(body) })).status
}

test('people are resolved, a copy counts once, an erased person is gone, and each day is that of the service', async () => {
  const made = JSON.parse((await run(['create', 'pulled', '--domain', '*', '--json'])).stdout)
  const token = made.project_token
  const track = (user_id: string, more: object = {}) =>
    send('/track', {
      token,
      event: 'page_view',
      user_id,
      session_id: `s-${user_id}`,
      properties: { path: '/a' },
      ...more,
    })
  const key = readFileSync(join(service.dataDir, 'api-key'), 'utf8').trim()
  await track('anon_a000000001')
  await track('ada')
  for (let i = 0; i < 2; i++) await track('bob', { event_id: 'one' })
  await track('eve')
  expect(await send('/identify', { token, previous_id: 'anon_a000000001', user_id: 'ada' }, key)).toBe(202)
  const count = async (query: string) => {
    const { stdout } = await run(['events', 'pulled', ...query.split(' ').filter(Boolean), '--json'])
    return (JSON.parse(stdout) as { count: number }).count
  }
  await eventually(async () => expect(await count('--user-id ada')).toBe(2))
  await eventually(async () => expect(await count('')).toBe(4))
  const erased = await fetch(`${service.baseUrl}/users/eve?project=pulled`, {
    method: 'DELETE',
    headers: { 'X-API-Key': key },
  })
  expect(erased.status).toBe(202)
  const into = join(folder, 'pulled.duckdb')
  const { code, stdout, stderr } = await run(['pull', 'pulled', '--into', into, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({ into, events: 3, sessions: 3, people: 2, days: 1 })
  expect(
    await rowsOf('SELECT user_id, CAST(events AS INTEGER) AS events FROM people ORDER BY user_id', into),
  ).toEqual([
    { user_id: 'ada', events: 2 },
    { user_id: 'bob', events: 1 },
  ])
  expect(await rowsOf('SELECT DISTINCT path, event FROM events', into)).toEqual([
    { path: '/a', event: 'page_view' },
  ])
})

test.each(['erased.duckdb', 'erased-parquet'])('a copy in %s loses who was erased later', async place => {
  const name = `later-${place.replace('.', '-')}`
  const made = JSON.parse((await run(['create', name, '--domain', '*', '--json'])).stdout)
  const track = (user_id: string) =>
    send('/track', { token: made.project_token, event: 'page_view', user_id, session_id: `s-${user_id}` })
  const key = readFileSync(join(service.dataDir, 'api-key'), 'utf8').trim()
  for (const id of ['ada', 'ada', 'bob']) expect(await track(id)).toBeLessThan(300)
  await eventually(async () => {
    const { stdout } = await run(['events', name, '--json'])
    expect(JSON.parse(stdout).count).toBe(3)
  })
  const into = join(folder, place)
  expect((await run(['pull', name, '--into', into])).code).toBe(0)
  const apply = (...more: string[]) =>
    run(['pull', name, '--into', into, '--apply-erasures', '--json', ...more])
  const before = await apply()
  expect([before.code, JSON.parse(before.stdout)]).toEqual([
    0,
    { into, erased_people: 0, erased_events: 0, events: 3, sessions: 2, people: 2, days: 1 },
  ])
  const headers = { 'X-API-Key': key }
  const erased = await fetch(`${service.baseUrl}/users/ada?project=${name}`, { method: 'DELETE', headers })
  expect(erased.status).toBe(202)
  const { code, stdout, stderr } = await apply()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    ...{ into, erased_people: 1, erased_events: 2, events: 1, sessions: 1, people: 1, days: 1 },
  })
  // Again changes nothing.
  expect(JSON.parse((await apply()).stdout)).toMatchObject({ erased_events: 0, events: 1 })
  const people = place.endsWith('.duckdb') ? 'people' : `'${into}/people.parquet'`
  const database = place.endsWith('.duckdb') ? into : ':memory:'
  expect(await rowsOf(`SELECT user_id FROM ${people}`, database)).toEqual([{ user_id: 'bob' }])
  const other = await run(['pull', 'pulled', '--into', into, '--apply-erasures'])
  expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('another project than pulled')])
})

test('a copy keeps events that are dated after the erasure, because a new person has sent them', async () => {
  const rows = join(folder, 'later.jsonl')
  const until = 1_700_000_000_000
  const event = (id: string, timestamp: number) =>
    JSON.stringify({ id, event: 'x', timestamp, date: '2023-11-14', user_id: 'ada', properties: null })
  writeFileSync(
    rows,
    [event('a', until), event('b', until + 300_000), event('c', until + 300_001)].join('\n'),
  )
  const counts = { '2023-11-14': 3 }
  const into = join(folder, 'later.duckdb')
  await writePull({ rows, counts: { before: counts, after: counts }, into, origin: ORIGIN })
  const erasures = join(folder, 'list.jsonl')
  writeFileSync(erasures, JSON.stringify({ erased_until: until, users: [listedHash('proj_1', 'ada')] }))
  const erasuresSince = '2026-11-30T01:00:00.000Z'
  expect(await applyErasures({ into, erasures, erasuresSince })).toMatchObject({
    ...{ erased_people: 1, erased_events: 2, events: 1 },
  })
  expect(await rowsOf('SELECT id FROM events', into)).toEqual([{ id: 'c' }])
  expect(await rowsOf('SELECT * FROM pulled', into)).toEqual([{ ...ORIGIN, erasures_since: erasuresSince }])
})

test('erasures are refused for a copy with other tables, a copy without erasures_since, and a path without a copy', async () => {
  const rows = join(folder, 'unread.jsonl')
  writeFileSync(rows, '')
  const make = async (name: string, erasures_since: string | null) => {
    const into = join(folder, name)
    const origin = { ...ORIGIN, erasures_since }
    await writePull({ rows, counts: { before: {}, after: {} }, into, origin })
    return into
  }
  const apply = (into: string) => applyErasures({ into, erasures: rows, erasuresSince: '' })
  const own = await make('own.duckdb', '2026-11-30')
  await rowsOf('CREATE TABLE mine AS SELECT 1 AS x', own)
  await expect(apply(own)).rejects.toThrow('also has mine')
  expect(await rowsOf('SELECT * FROM mine', own)).toEqual([{ x: 1 }])
  await expect(apply(await make('unknown', null))).rejects.toThrow('exports:read')
  await expect(apply(join(folder, 'nothing'))).rejects.toThrow('is no copy')
})

test('the demo is pulled into Parquet from a day on, whole, and an existing place is left as it is', async () => {
  const into = join(folder, 'demo')
  const pullDemo = () => run(['--demo', 'pull', 'demo', '--into', into, '--since', '2026-11-20'])
  const { code, stdout } = await pullDemo()
  expect([code, stdout]).toEqual([0, expect.stringContaining('as many as the service counts')])
  expect(readdirSync(into).toSorted()).toEqual([
    ...['events.parquet', 'people.parquet', 'pulled.parquet', 'sessions.parquet'],
  ])
  const [events] = await rowsOf(
    `SELECT CAST(count(*) AS INTEGER) AS rows, CAST(min(date) AS VARCHAR) AS first FROM '${into}/events.parquet'`,
  )
  expect(events).toMatchObject({ first: '2026-11-20' })
  expect(Number(events?.rows)).toBeGreaterThan(1_000)
  const again = await pullDemo()
  expect([again.code, again.stderr]).toEqual([1, `${into} exists. Name a new file or folder with --into.\n`])
})

test('a day with other rows than the service counts leaves nothing behind', async () => {
  const rows = join(folder, 'rows.jsonl')
  const event = { id: 'a', event: 'x', timestamp: 1_700_000_000_000, date: '2023-11-14', properties: null }
  writeFileSync(rows, `${JSON.stringify(event)}\n`)
  const write = (before: object, after: object, name: string) =>
    writePull({ rows, counts: { before, after } as never, into: join(folder, name), origin: ORIGIN })
  for (const [name, counts] of [
    ['few.duckdb', { '2023-11-14': 2 }],
    ['none', {}],
    ['other-day', { '2023-11-14': 1, '2023-11-15': 1 }],
  ] as const) {
    await expect(write(counts, counts, name)).rejects.toThrow('not what the service counts')
    expect(readdirSync(folder).filter(entry => entry.startsWith(name))).toEqual([])
  }
  // Events that came while the rows were read.
  expect(await write({}, { '2023-11-14': 5 }, 'grown.duckdb')).toMatchObject({
    events: 1,
    people: 0,
    sessions: 0,
  })
})

test('a run that was killed has left half a file, and the next one begins anew', async () => {
  const rows = join(folder, 'empty.jsonl')
  writeFileSync(rows, '')
  const into = join(folder, 'half')
  mkdirSync(`${into}.unfinished`)
  writeFileSync(join(`${into}.unfinished`, 'events.parquet'), 'half')
  await writePull({ rows, counts: { before: {}, after: {} }, into, origin: ORIGIN })
  expect([existsSync(join(into, 'people.parquet')), existsSync(`${into}.unfinished`)]).toEqual([true, false])
})

test('a date that is none is refused before any event is read', async () => {
  const { code, stderr } = await run(['pull', 'demo', '--into', join(folder, 'x'), '--since', '7d'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('must be a date such as')])
})

test('the example in its help runs, in another folder than /tmp', async () => {
  const example = commands.find(({ name }) => name === 'pull')?.example ?? expect.unreachable()
  const [words = []] = await shellWords([`footfall ${example}`])
  const { code, stdout } = await run(words.map(word => word.replace('/tmp', folder)))
  expect([code, stdout]).toEqual([0, expect.stringContaining(folder)])
})
