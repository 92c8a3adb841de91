import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/** Exports of events on one machine: begun, downloaded, opened by DuckDB, and what ends them. */

let service: Service
beforeAll(async () => {
  service = await startService({ seed: true })
})
afterAll(cleanUp)

// biome-ignore lint/suspicious/noExplicitAny: responses of many routes
type Json = any

async function call(method: string, path: string, body?: Json): Promise<Json> {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'X-API-Key': service.credentials.api_key, 'User-Agent': HUMAN_USER_AGENT },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const json = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  return json
}

async function exported(body: Json): Promise<Json> {
  const { id } = await call('POST', '/exports', body)
  return eventually(async () => {
    const found = await call('GET', `/exports/${id}`)
    expect(found.message).toBeNull()
    expect(found.status).toBe('done')
    return found
  })
}

/** Downloads the files of an export into a new folder. */
async function download({ files }: Json): Promise<string> {
  const folder = newFolder()
  for (const { name, url, bytes, sha256 } of files) {
    const response = await fetch(url, { headers: { 'X-API-Key': service.credentials.api_key } })
    expect(response.headers.get('content-type')).toBe(
      name.endsWith('.json') ? 'application/json' : 'application/vnd.apache.parquet',
    )
    const content = Buffer.from(await response.arrayBuffer())
    expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256])
    writeFileSync(join(folder, name), content)
  }
  return folder
}

async function rowsOf(statement: string): Promise<Json[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(statement)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function countByDay(project: string): Promise<Json[]> {
  const { rows } = await call('POST', '/query', {
    ...{ project, metrics: ['event_count'], group_by: ['date'], count_mode: 'raw', limit: 1_000 },
    ...{ since: '90d', tz: 'UTC' },
  })
  return rows
    .map(({ date, event_count }: Json) => ({ date, events: Number(event_count) }))
    .toSorted((a: Json, b: Json) => (a.date < b.date ? -1 : 1))
}

test('the files of an export have the events, sessions and people of the project, by day as many as the service counts', async () => {
  const made = await exported({ project: 'demo' })
  const counted = await countByDay('demo')
  expect(made.days).toEqual(counted)
  expect(made.period).toEqual({ from: counted[0].date, to: counted.at(-1).date })
  const folder = await download(made)
  const files = (dataset: string) => `read_parquet('${folder}/${dataset}-*.parquet')`
  expect(
    await rowsOf(
      `SELECT CAST(date AS VARCHAR) AS date, CAST(count(*) AS INTEGER) AS events FROM ${files('events')} GROUP BY date ORDER BY date`,
    ),
  ).toEqual(counted)
  const { totals, sessions } = await call('GET', '/stats?project=demo&since=90d&tz=UTC')
  const { project_context } = await call('GET', '/project-context?project=demo')
  const context = Object.values<Json[]>(project_context).flat().length
  const [rows] = await rowsOf(`SELECT
    (SELECT CAST(count(*) AS INTEGER) FROM ${files('sessions')}) AS sessions,
    (SELECT CAST(count(*) AS INTEGER) FROM ${files('people')}) AS people,
    (SELECT CAST(count(DISTINCT id) AS INTEGER) FROM ${files('events')}) AS ids`)
  expect(rows).toEqual({
    sessions: sessions.total_sessions,
    people: totals.unique_users,
    ids: totals.total_events,
  })
  expect(made.events).toBe(totals.total_events)
  const sizes = Object.fromEntries(made.files.map(({ name, rows: count }: Json) => [name, count]))
  expect(sizes).toEqual({
    'events-0001.parquet': made.events,
    'sessions-0001.parquet': rows?.sessions,
    'people-0001.parquet': rows?.people,
    'views.json': 0,
    'context.json': context,
  })
  expect((await call('GET', '/exports?project=demo')).exports[0]).toMatchObject({
    id: made.id,
    status: 'done',
  })
})

test('an export of a period and of some tables has no other days and files', async () => {
  const made = await exported({ project: 'demo', since: '5d', until: '3d', datasets: 'people' })
  const days = (await countByDay('demo')).slice(-6, -3)
  expect(made.days).toEqual(days)
  expect(made.files.map(({ name }: Json) => name)).toEqual(['people-0001.parquet'])
})

test('a deleted export and its files are gone', async () => {
  const made = await exported({ project: 'demo', since: '1d' })
  const folder = () =>
    readdirSync(join(service.dataDir, 'exports'), { recursive: true, encoding: 'utf8' }).filter(
      path => path.includes(made.id) && path.endsWith('.parquet'),
    )
  expect(folder()).toHaveLength(3)
  await call('DELETE', `/exports/${made.id}`)
  expect(folder()).toEqual([])
  await expect(call('GET', `/exports/${made.id}`)).rejects.toThrow('404')
})

test('an export of before an erasure has failed, says so, and lets nobody download; one of after it has no event of the person', async () => {
  const made = await exported({ project: 'demo', since: '2d' })
  const [file] = made.files
  const folder = await download(made)
  const [person] = await rowsOf(`SELECT user_id FROM read_parquet('${folder}/people-*.parquet') LIMIT 1`)
  await call('DELETE', `/users/-?project=demo&user_id=${person?.user_id}`)
  const after = await call('GET', `/exports/${made.id}`)
  expect([after.status, after.files, after.message]).toEqual([
    'failed',
    [],
    expect.stringContaining('erased'),
  ])
  const answer = await fetch(file.url, { headers: { 'X-API-Key': service.credentials.api_key } })
  expect(answer.status).toBe(404)
  const { erasures } = await call('GET', `/erasures?project=demo&since=${made.erasures_since}`)
  expect(erasures).toHaveLength(1)
  // An export is taken for older than an erasure of the two seconds before it.
  const next = await eventually(async () => {
    const { id } = await call('POST', '/exports', { project: 'demo', since: '2d' })
    return eventually(async () => {
      const found = await call('GET', `/exports/${id}`)
      expect(found.status).toMatch(/done|failed/)
      return found
    }).then(found => {
      expect(found.status).toBe('done')
      return found
    })
  })
  const again = await download(next)
  expect(
    await rowsOf(
      `SELECT count(*)::INTEGER AS rows FROM read_parquet('${again}/events-*.parquet') WHERE user_id = '${person?.user_id}'`,
    ),
  ).toEqual([{ rows: 0 }])
})

test('an export goes on after a kill of the service', async () => {
  const { id } = await call('POST', '/exports', { project: 'demo' })
  await service.kill9()
  service = await startService({ dataDir: service.dataDir })
  const found = await eventually(async () => {
    const made = await call('GET', `/exports/${id}`)
    expect(made.message).toBeNull()
    expect(made.status).toBe('done')
    return made
  })
  expect(found.days).toEqual(await countByDay('demo'))
})
