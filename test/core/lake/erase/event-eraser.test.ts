import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { packText } from '#core/ingest/packing'
import {
  type EventsRecord,
  type IdentifyRecord,
  packRecord,
  type StreamRecord,
  unpackRecord,
} from '#core/ingest/record'
import { countRecords } from '#core/lake/consume/counts'
import { toIdentityRows } from '#core/lake/consume/identity-row'
import { createEventEraser } from '#core/lake/erase/event-eraser'
import { toTombstoneRows } from '#core/lake/erase/tombstone-file'
import { userHash } from '#core/lake/erase/tombstones'
import { eventsRecord } from '#test/support/events-record'
import { toHotRows } from '#test/support/hot-rows'

const NOW = Date.UTC(2026, 10, 22, 12)
const ERASED = { project_id: 'proj_1', users: [userHash('ada'), userHash('anon_1')], until: NOW }
const { eraseFromRecord } = createEventEraser(toTombstoneRows(ERASED, 1))

function record(users: (string | null)[], padding = ''): EventsRecord {
  const base = eventsRecord(['page_view'], NOW, { properties: { path: padding } }) as EventsRecord
  return { ...base, events: users.map(user_id => ({ ...base.events[0]!, user_id })) }
}

function erased(original: StreamRecord): StreamRecord {
  const rest = eraseFromRecord(packRecord(original))
  if (rest === null) throw new Error('Nothing was erased.')
  return unpackRecord(rest)
}

describe('of a record of events', () => {
  test('the erased ones leave nothing, and the others give the same rows; the counts stay', () => {
    const original = record(['ada', 'bob', null, 'anon_1', 'cy'])
    const rest = erased(original) as EventsRecord
    expect(JSON.stringify(rest)).not.toMatch(/ada|anon_1/)
    const rows = toHotRows(original)
    expect(toHotRows(rest)).toEqual([rows[1], rows[2], rows[4]])
    expect(countRecords([rest])).toEqual(countRecords([original]))
  })

  test('the rest is eight bytes shorter than the record, packed or not, so that its row stays in its page', () => {
    for (const original of [
      record(['ada']),
      record(['ada', 'bob']),
      record(['ada', 'ada', 'ada'], randomBytes(2_000).toString('hex')),
    ]) {
      const packed = packRecord(original)
      expect(eraseFromRecord(packed)?.length).toBe(packed.length - 8)
    }
  })

  test.each([
    ['of other users', record(['bob', null])],
    ['of another project', { ...record(['ada']), project_id: 'proj_2' }],
    ['that arrived after the erasure', { ...record(['ada']), received_at: NOW + 1_000 }],
    ['that are erased already', erased(record(['ada', 'bob']))],
  ])('nothing changes %s', (_what, original) => {
    expect(eraseFromRecord(packRecord(original))).toBeNull()
  })

  test('all events go when the whole project is erased, once', () => {
    const eraser = createEventEraser(toTombstoneRows({ ...ERASED, users: null }, 1))
    const rest = eraser.eraseFromRecord(packRecord(record(['bob', null]))) as Uint8Array
    expect(toHotRows(unpackRecord(rest) as EventsRecord)).toEqual([])
    expect(eraser.eraseFromRecord(rest)).toBeNull()
  })
})

test.each([
  ['ada', 'bob'],
  ['bob', 'anon_1'],
])('an identify request of %s and %s becomes a record without events', (previous_id, user_id) => {
  const head = { project_id: 'proj_1', account_id: 'acct_1', received_at: NOW, seq: 5 }
  const names = { previous_id, user_id, traits: { plan: 'secret' }, email_hash: 'hash' }
  const original: IdentifyRecord = { kind: 'identify', ...head, ...names }
  const rest = erased(original)
  expect(rest).toMatchObject({ kind: 'events', ...head, events: [] })
  expect(JSON.stringify(rest)).not.toMatch(/ada|anon_1|bob|secret|hash/)
  expect(toIdentityRows([rest])).toEqual([])
  expect(toHotRows(rest as EventsRecord)).toEqual([])
})

test('counts of bots and records that cannot be read stay as they are', () => {
  const bot = { kind: 'bots', project_id: 'proj_1', actor: 'ada', received_at: NOW }
  expect(eraseFromRecord(packText(JSON.stringify(bot)))).toBeNull()
  expect(eraseFromRecord(packText('{"project_id":"proj_1"'))).toBeNull()
  expect(eraseFromRecord(Buffer.from('junk'))).toBeNull()
})
