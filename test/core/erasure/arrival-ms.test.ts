import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { TombstoneRow } from '#core/lake/erase/tombstone-file'
import { encodeTombstones } from '#core/lake/erase/tombstone-file'
import { openTombstones, userHash } from '#core/lake/erase/tombstones'
import { events } from '#core/lake/read/relations'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { sql } from '#core/sql/sql'
import { createFolderLake } from '#local/lake/folder'
import { testProject } from '#test/support/account-fixtures'
import { addErasure } from '#test/support/add-erasure'
import { buildLake } from '#test/support/build-lake'
import { request } from '#test/support/compactor-lake'
import { lakeWithOldFiles, withoutColumns } from '#test/support/old-files'
import { openTestEngine } from '#test/support/test-engine'

/**
 * Files from before arrivals had ms beside those of today
 * (docs/decisions/2026-11-29-arrival-in-milliseconds.md): an old event counts from the start of its second,
 * and an old tombstone erases its whole second.
 */

const SECOND = Date.parse('2026-11-28T12:00:00Z')
const NOW = SECOND + 3_600_000
const BUCKET = 7
const project = testProject({ bucket: BUCKET, created_at: '2026-11-01T00:00:00Z' })

/** An event of Ada with its arrival, and a timestamp of her own clock. */
const eventOf = (ms: number, timestamp = SECOND + ms) =>
  request({
    ...{ project: project.id, bucket: BUCKET, at: SECOND + ms },
    events: [{ event: `at ${ms}`, user_id: 'ada', session_id: `s${ms}`, timestamp }],
  })

/** The last one is of a clock that is behind, and the one before of one that is ahead. */
const EVENTS = [
  ...[-1, 0, 300, 301, 999, 1_000].map(ms => eventOf(ms)),
  eventOf(250, SECOND + 60_900),
  eventOf(350, SECOND - 7_200_001),
]
const names = (...times: number[]) => times.map(ms => `at ${ms}`).toSorted()
const ALL = [-1, 0, 300, 301, 999, 1_000, 250, 350]

type Case = { old: 'files' | 'tombstones' | 'both' | 'nothing'; until: number; left: number[] }
const CASES: Case[] = [
  { old: 'nothing', until: 300, left: [301, 350, 999, 1_000] },
  { old: 'nothing', until: 999, left: [1_000] },
  { old: 'nothing', until: 0, left: [250, 300, 301, 350, 999, 1_000] },
  // The events of the second may all have come before the erasure.
  { old: 'files', until: 300, left: [1_000] },
  { old: 'files', until: 0, left: [1_000] },
  { old: 'files', until: -1, left: ALL.filter(ms => ms >= 0) },
  { old: 'tombstones', until: 300, left: [1_000] },
  { old: 'both', until: 300, left: [1_000] },
]

for (const [tier, compacted] of [
  ['hot files', 1],
  ['a segment', 2],
] as const) {
  test.each(CASES)(
    `in ${tier} an erasure until $until ms leaves $left, with old $old: read, rewritten and compacted`,
    async ({ old, until, left }) => {
      const dir = await mkdtemp(join(tmpdir(), 'footfall-arrival-'))
      onTestFinished(() => rm(dir, { recursive: true, force: true }))
      const [oldFiles, oldTombstones] = [
        old === 'files' || old === 'both',
        old === 'tombstones' || old === 'both',
      ]
      const lake = lakeWithOldFiles(createFolderLake(join(dir, 'lake')), ['lag_ms'], () => oldFiles)
      // As an older version would write the tombstones: without the ms.
      const plain = createFolderLake(join(dir, 'lake'))
      const tombstoneLake = {
        put: async (key: string, bytes: Uint8Array) =>
          plain.put(key, oldTombstones ? await withoutColumns(key, bytes, ['erased_until_ms']) : bytes),
      }
      const built = await buildLake({ lake, tempDir: join(dir, 'temp'), epochs: [[EVENTS]], compacted })
      const engine = await openTestEngine({ lakeDir: join(dir, 'lake'), tempDir: dir })
      onTestFinished(() => engine.close())
      const erased = { project_id: project.id, users: [userHash('ada')], until: SECOND + until }
      const before = built.manifests.get(BUCKET) ?? expect.unreachable()
      const encode = (rows: readonly TombstoneRow[]) =>
        encodeTombstones(rows.map(row => (oldTombstones ? { ...row, erased_until_ms: SECOND + 999 } : row)))
      const manifest = await addErasure(tombstoneLake, before, erased, NOW, encode)
      built.manifests.set(BUCKET, manifest)

      const services = { engine, openLake: built.openLake, clock: { now: () => NOW } }
      const read = { snapshot: await built.snapshot(BUCKET), project, from: SECOND - 86_400_000, to: NOW }
      const rows = await engine.rows(
        sql`SELECT event FROM ${events(read, ['event'])} AS each_event ORDER BY event`,
      )
      expect(rows.map(({ event }) => event)).toEqual(names(...left))
      const body = await runReport(stats, services, { project, query: { since: '7d', groupBy: 'day' } })
      expect(body.totals.total_events).toBe(left.length)
      const page = await runReport(sessions, services, { project, query: { since: '7d', limit: 50 } })
      expect(page.sessions.map(({ session_id }) => session_id).toSorted()).toEqual(
        left.map(ms => `s${ms}`).toSorted(),
      )

      const [segment] = manifest.segments
      const tombstones = manifest.tombstones
      if (segment !== undefined) {
        const job = { bucket: BUCKET, segment, generation: 1, tombstones: openTombstones(manifest, segment) }
        const rewritten = await built.compactor.rewriteSegment(job)
        expect(rewritten?.segment?.rows).toBe(left.length)
        return
      }
      const hot = (await lake.list('hot/')).map(({ key, size }) => ({ key, size }))
      const [compactedBucket] = await built.compactor.compactEpoch({
        epoch: 1,
        hot,
        buckets: [{ bucket: BUCKET, eventIds: [], generation: 1, tombstones, older: [] }],
      })
      expect(compactedBucket).toMatchObject({ segment: { rows: left.length } })
      const keys = hot.map(({ key }) => key)
      expect(await built.compactor.rewriteHot({ keys, buckets: [{ bucket: BUCKET, tombstones }] })).toBe(1)
      const again = { ...read, snapshot: { ...read.snapshot, tombstones: [] } }
      const rewrittenRows = await engine.rows(
        sql`SELECT event FROM ${events(again, ['event'])} AS each_event`,
      )
      expect(rewrittenRows.map(({ event }) => String(event)).toSorted()).toEqual(names(...left))
    },
  )
}
