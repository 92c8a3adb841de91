import { expect, test } from 'vitest'
import { inRawFiles, type RawRows, raw, visible } from '#core/lake/read/raw'
import { finalLinks } from '#core/lake/read/user-links'
import { inFiles, join, sql } from '#core/sql/sql'
import { EMPTY_SNAPSHOT, segmentOf } from '#test/support/fixed-lake'

/**
 * Where one of the errors below is no error any more, `npm run check` fails: a report could read raw rows.
 */

const read = {
  snapshot: EMPTY_SNAPSHOT,
  project: { id: 'p', bucket: 1, created_at: '', has_event_ids: true },
}
const from = raw`FROM segment_events WHERE ${inRawFiles('segment_events', ['a'])} AND event = ${'x'}`

test('no statement takes raw rows, or files of tables that have them', () => {
  // @ts-expect-error: rows of erased persons.
  sql`SELECT event ${from}`
  // @ts-expect-error: the same in a list of pieces.
  join([from], ' UNION ALL ')
  // @ts-expect-error: they have no text that one could take out of them.
  expect(from.text).toBeUndefined()
  expect(Object.keys(from)).toEqual([])
  for (const table of ['events_hot', 'segment_events', 'segment_sessions', 'segment_activity'] as const) {
    // @ts-expect-error: these tables have rows of persons.
    inFiles(table, ['a'])
  }
  // @ts-expect-error: so do identify requests, and what is known of users.
  for (const table of ['identity_hot', 'user_traits'] as const) inFiles(table, ['a'])
  // @ts-expect-error: whoever reads links says of which project erased persons are hidden.
  const withoutRead = () => finalLinks({ scope: 's', bucket: 1, files: ['a'], hops: 0 }, 'id')
  expect(withoutRead).toThrow()
})

const rowsOf = (persons: RawRows['persons'], segments: RawRows['segments']): RawRows => ({
  from,
  persons,
  segments,
})
const batch = { number: 3, first: 3, writer: 'w', oldestUntil: 5, newestUntil: 5, projects: null }
const erased = { ...read, snapshot: { ...EMPTY_SNAPSHOT, tombstones: [batch as never] } }

test('visible rows bring their values and scans, and cost a join only where an erasure may concern them', () => {
  const plain = visible(read, rowsOf('storedEvent', [segmentOf({})]), ['event'])
  expect(plain).toEqual({
    text: 'SELECT event FROM segment_events WHERE ? AND event = ?',
    params: [{ files: ['a'] }, 'x'],
    scans: [{ table: 'segment_events', files: ['a'] }],
  })
  const tables = (rows: RawRows) => visible(erased, rows, ['event']).scans?.map(({ table }) => table)
  for (const persons of ['hotEvent', 'storedEvent', 'rollup', 'traits'] as const) {
    expect(tables(rowsOf(persons, null))).toEqual(['segment_events', 'tombstones'])
    expect(tables(rowsOf(persons, [segmentOf({ erased: 2 })]))).toEqual(['segment_events', 'tombstones'])
    expect(tables(rowsOf(persons, [segmentOf({ erased: 3 })]))).toEqual(['segment_events'])
  }
})
