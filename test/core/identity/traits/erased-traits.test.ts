import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NO_IDENTITY } from '#core/identity/identity-view'
import { encodeTraits } from '#core/identity/traits/traits-rows'
import { userHash } from '#core/lake/erase/tombstones'
import { traitsKey } from '#core/lake/model/keys'
import { query } from '#core/reports/query/query'
import { runReport } from '#core/reports/run/run'
import { stats } from '#core/reports/stats'
import { createFolderLake } from '#local/lake/folder'
import { testProject } from '#test/support/account-fixtures'
import { addErasure } from '#test/support/add-erasure'
import { buildLake } from '#test/support/build-lake'
import { request } from '#test/support/compactor-lake'
import { openTestEngine } from '#test/support/test-engine'

const ERASED_AT = Date.parse('2026-11-28T12:00:00Z')
const NOW = ERASED_AT + 3_600_000
const BUCKET = 7
const QUERY = { metrics: ['event_count'], filters: [], order: 'desc' as const, limit: 100 }
const project = testProject({ bucket: BUCKET, created_at: '2026-11-01T00:00:00Z' })

test('traits from before an erasure are hidden at once, also while their file is not written anew', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-traits-'))
  onTestFinished(() => rm(dir, { recursive: true, force: true }))
  const lake = createFolderLake(join(dir, 'lake'))
  const at = ERASED_AT + 1_000
  const record = request({
    ...{ project: project.id, bucket: BUCKET, at },
    events: ['ada', 'bob'].map(user_id => ({ event: 'view', user_id, session_id: user_id, timestamp: at })),
  })
  const built = await buildLake({ lake, tempDir: join(dir, 'temp'), epochs: [[[record]]], compacted: 1 })
  const engine = await openTestEngine({ lakeDir: join(dir, 'lake'), tempDir: dir })
  onTestFinished(() => engine.close())
  const key = traitsKey(project, { writer: '0a', part: 0 })
  const row = (user_id: string, ms: number, hasCredential: boolean, plan: string) => ({
    ...{ user_id, hasCredential, at: ERASED_AT + ms, seq: 0, traits: JSON.stringify({ plan }) },
  })
  await lake.put(
    key,
    encodeTraits(project.id, [
      row('ada', -5, true, 'pro'),
      row('ada', 5, false, 'team'),
      row('bob', -5, true, 'pro'),
    ]),
  )
  const identity = { ...NO_IDENTITY, openTraits: async () => ({ files: [key] }) }
  const services = { engine, openLake: built.openLake, clock: { now: () => NOW } }
  const count = async (plan: string) => {
    const where = { field: 'traits.plan', op: 'eq' as const, value: plan }
    const query = { since: '7d', groupBy: 'day' as const, where }
    return (await runReport(stats, services, { project, identity, query })).totals.total_events
  }
  const groups = async () => {
    const body = { since: '7d', group_by: ['traits.plan'], count_mode: 'raw' as const }
    const { rows } = await runReport(query, services, { project, identity, body: { ...QUERY, ...body } })
    return rows.map(row => [row['traits.plan'], row.event_count])
  }
  expect([await count('pro'), await count('team')]).toEqual([2, 0])
  expect(await groups()).toEqual([['pro', 2]])
  const before = built.manifests.get(BUCKET) ?? expect.unreachable()
  const erased = { project_id: project.id, users: [userHash('ada')], until: ERASED_AT }
  built.manifests.set(BUCKET, await addErasure(lake, before, erased, NOW))
  expect([await count('pro'), await count('team')]).toEqual([1, 1])
  expect((await groups()).toSorted()).toEqual([
    ['pro', 1],
    ['team', 1],
  ])
})
