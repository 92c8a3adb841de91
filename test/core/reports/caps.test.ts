import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { funnel } from '#core/reports/funnel/funnel'
import { retention } from '#core/reports/retention'
import { type ReportServices, runReport } from '#core/reports/run'
import { createFolderLake } from '#local/lake/folder'
import { type LocalQueryEngine, openQueryEngine } from '#local/lake/query-engine'
import { buildLake } from '#test/support/build-lake'
import { NOW } from '#test/support/random-history'

/** Two more than a funnel or a retention report follows. */
const USERS = 10_002
const project = {
  id: 'proj_1',
  name: 'shop',
  bucket: 7,
  created_at: '2026-10-01T00:00:00Z',
  has_event_ids: false,
}

let dir: string
let engine: LocalQueryEngine
let services: ReportServices

// User 0 is the newest one. Each user sends `signup`, and a second later `buy`.
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'footfall-caps-'))
  const lakeDir = join(dir, 'lake')
  const events = Array.from({ length: USERS }, (_, i) =>
    ['signup', 'buy'].map((event, step) => ({
      event,
      properties: null,
      user_id: `u${i}`,
      session_id: null,
      timestamp: NOW - 60_000 - i * 10 + step * 1_000,
      event_id: null,
    })),
  ).flat()
  const record = {
    kind: 'events' as const,
    project_id: project.id,
    account_id: 'acc_1',
    bucket: project.bucket,
    received_at: NOW,
    seq: 1,
    country: null,
    events,
  }
  const { openLake } = await buildLake({
    lake: createFolderLake(lakeDir),
    tempDir: join(dir, 'temp'),
    epochs: [[[record]]],
  })
  engine = await openQueryEngine({ lakeDir, log: () => {}, threads: 1 })
  services = { engine, openLake, clock: { now: () => NOW } }
}, 60_000)

afterAll(async () => {
  await engine.close()
  await rm(dir, { recursive: true, force: true })
})

test('a funnel follows the 10 000 entities that started first, and warns', async () => {
  const body = await runReport(funnel, services, {
    project,
    body: {
      steps: [{ event: 'signup' }, { event: 'buy' }],
      conversion_window_hours: 168,
      count_by: 'user_id',
      breakdown_limit: 10,
    },
  })
  expect(body.steps.map(step => [step.users, step.raw_activity.event_count, step.joinable_entities])).toEqual(
    [
      [10_000, USERS, USERS],
      [10_000, USERS, USERS],
    ],
  )
  expect(body.warnings).toEqual([
    'More than 10000 entities reached step 1. The funnel follows the 10000 earliest.',
  ])
})

test('retention analyzes the 10 000 users that were first seen last, and says how many there are', async () => {
  const body = await runReport(retention, services, {
    project,
    query: { period: 'day', cohorts: 2, event: 'signup' },
  })
  expect(body).toMatchObject({ users_analyzed: 10_000, truncated: true, total_rows: USERS })
  expect(body.cohorts).toEqual([{ date: '2026-11-18', users: 10_000, retained: [10_000], rates: [1] }])
})
