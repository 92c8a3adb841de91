import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isSplitKnown } from '#core/lake/compact/split-sessions'
import type { LakeRead } from '#core/lake/read/lake-read'
import { sessions } from '#core/lake/read/relations'
import { sql } from '#core/sql/sql'
import { DAY_MS, midnight } from '#core/time'
import { HOUR, request, START } from '#test/support/compactor-lake'
import { propertySettings } from '#test/support/depth'
import { openFolderLake } from '#test/support/folder-lake'

const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: false }
/** The first date of the events. */
const FIRST = midnight(START) - 2 * DAY_MS

/** Few events of few sessions, so that a session often has one row here and one there. */
const event = fc.record({ session_id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), day: fc.nat(2) })
const lakeContent = fc.record({
  epochs: fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 }),
  cut: fc.nat(5),
  hasHotFiles: fc.boolean(),
  firstDay: fc.nat(2),
})

test('sessions are whole in any state of compaction, also those of several segments and dates', async () => {
  const property = fc.asyncProperty(lakeContent, async ({ epochs, cut, hasHotFiles, firstDay }) => {
    const { engine, build, close } = await openFolderLake()
    onTestFinished(close)
    const compacted = epochs.length + (hasHotFiles ? 0 : 1)
    const records = epochs.map(events => [
      [
        request({
          events: events.map(({ session_id, day }, i) => ({
            session_id,
            timestamp: FIRST + day * DAY_MS + i * HOUR,
          })),
        }),
      ],
    ])
    const mergeEnds = cut < 2 || cut > compacted ? [] : [cut]
    const built = await build({ epochs: records, compacted, mergeEnds })
    const snapshot = await built.snapshot(project.bucket)
    expect(isSplitKnown(snapshot.segments)).toBe(true)
    const from = FIRST + firstDay * DAY_MS
    const read: LakeRead = { snapshot, project, from, to: FIRST + 3 * DAY_MS }
    const rows = await engine.rows(
      sql`SELECT event_count FROM ${sessions(read, ['event_count'])} AS session ORDER BY event_count`,
    )
    const groups = Map.groupBy(epochs.flat(), ({ session_id }) => session_id)
    const expected = [...groups.values()]
      .filter(events => events.every(({ day }) => day >= firstDay))
      .map(events => events.length)
    expect(rows.map(row => Number(row.event_count))).toEqual(expected.toSorted((a, b) => a - b))
  })
  await fc.assert(property, propertySettings(2, { countPerDepth: 4 }))
})
