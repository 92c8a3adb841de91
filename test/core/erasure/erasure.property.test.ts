import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPerson } from '#core/erasure/find-person'
import {
  addRemoved,
  markCleared,
  openTombstones,
  unclearedSegments,
  userHash,
} from '#core/lake/erase/tombstones'
import { replaceSegments } from '#core/lake/model/manifest'
import type { Segment } from '#core/lake/model/segment'
import { events } from '#core/reports/events'
import { retention } from '#core/reports/retention/retention'
import { runReport } from '#core/reports/run/run'
import { sessions } from '#core/reports/sessions'
import { stats } from '#core/reports/stats'
import { addErasure } from '#test/support/add-erasure'
import type { BuiltLake } from '#test/support/build-lake'
import { propertySettings } from '#test/support/depth'
import { oracleEvents, oracleStats } from '#test/support/oracle'
import { oracleRetention } from '#test/support/oracle/retention'
import { oracleSessions } from '#test/support/oracle/sessions'
import { history, NOW } from '#test/support/random-history'
import { withReportLake } from '#test/support/report-lake'

const BUCKET = 7

/** Erasures one after the other; the segments of the first ones may be rewritten before the next comes. */
const erasures = fc.array(
  fc.record({
    user: fc.constantFrom('u1', 'u2', 'u3', "o'brien", '', 'a\u0000b'),
    /** The erasure comes after this part of the events has arrived. */
    part: fc.constantFrom(0.3, 0.7, 1),
    /** How many of the segments are rewritten before the reads. */
    rewritten: fc.constantFrom(0, 1, 99),
  }),
  { minLength: 1, maxLength: 3 },
)

/**
 * Rewrites the first segments that may have erased events, like the job. Returns how many events were
 * removed.
 */
async function rewriteSegments({ manifests, compactor }: BuiltLake, count: number): Promise<number> {
  let removedEvents = 0
  for (let i = 0; i < count; i++) {
    const manifest = manifests.get(BUCKET)
    const [segment] = manifest === undefined ? [] : unclearedSegments(manifest)
    if (manifest === undefined || segment === undefined) break
    const generation = manifest.tombstoneCount
    const tombstones = openTombstones(manifest, segment)
    const rewritten = await compactor.rewriteSegment({ bucket: BUCKET, segment, generation, tombstones })
    const removed = rewritten?.removed ?? []
    const replaced =
      rewritten === null
        ? markCleared(manifest, segment, generation)
        : replaceSegments(manifest, [segment], rewritten.segment, 0)
    if (replaced === null) throw new Error('The segment is not live.')
    manifests.set(BUCKET, addRemoved(replaced, removed, { files: 1 }))
    removedEvents += removed.reduce((sum, each) => sum + each.events, 0)
  }
  return removedEvents
}

test('after an erasure reports equal the oracle without the erased events, before, while and after segments are rewritten', async () => {
  await fc.assert(
    fc.asyncProperty(history, erasures, async (given, erased) => {
      await withReportLake(
        given,
        async ({ services, projects, events: stored, built: lake, lake: files }) => {
          const arrivals = stored.map(({ received_at }) => received_at).toSorted()
          const [project = expect.unreachable()] = projects
          let left = stored
          for (const { user, part, rewritten } of erased) {
            const until = arrivals[Math.ceil(arrivals.length * part) - 1] ?? 0
            const manifest = lake.manifests.get(BUCKET) ?? expect.unreachable()
            const tombstone = { project_id: 'proj_a', users: [userHash(user)], until }
            lake.manifests.set(BUCKET, await addErasure(files, manifest, tombstone, NOW))
            left = left.filter(
              event => event.project_id !== 'proj_a' || event.user_id !== user || event.received_at > until,
            )
            const ofUser = left.filter(event => event.project_id === project.id && event.user_id === user)
            const found = await findPerson(services, project, [user], undefined)
            expect(found.events).toBe(ofUser.length)
            const rowsBefore = sumRows(manifest.segments)
            const removed = await rewriteSegments(lake, rewritten)
            expect(sumRows(lake.manifests.get(BUCKET)?.segments ?? [])).toBe(rowsBefore - removed)
          }
          for (const project of projects) {
            for (const since of given.since) {
              const asked = { project: project.id, since, now: NOW }
              // `/stats` counts whole dates only.
              if (!since.includes('T')) {
                const body = await runReport(stats, services, { project, query: { since, groupBy: 'day' } })
                expect(body).toEqual(oracleStats(left, { ...asked, groupBy: 'day' }))
              }
              const page = await runReport(events, services, { project, query: { since, limit: 1_000 } })
              expect(page.events).toEqual(oracleEvents(left, asked, {}))
            }
            const month = { project: project.id, since: '30d', now: NOW, tz: 'UTC' }
            for (const filter of [{ limit: 1_000 }, { limit: 2, user_id: 'u1' }]) {
              const listed = await runReport(sessions, services, {
                project,
                query: { since: '30d', tz: 'UTC', ...filter },
              })
              expect(listed).toEqual(oracleSessions(left, month, filter))
            }
            const cohorts = { period: 'day' as const, cohorts: 3, event: undefined, tz: 'UTC' }
            expect(await runReport(retention, services, { project, query: cohorts })).toEqual(
              oracleRetention(left, month, cohorts),
            )
          }
        },
      )
    }),
    { ...propertySettings(1, { countPerDepth: 2 }), endOnFailure: false },
  )
}, 1_800_000)

function sumRows(segments: readonly Segment[]): number {
  return segments.reduce((sum, { rows }) => sum + rows, 0)
}
