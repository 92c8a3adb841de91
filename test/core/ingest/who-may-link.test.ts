import { expect, test } from 'vitest'
import { decideLinks, type KnownId } from '#core/identity/fold/decide-links'
import { refuseLink, SHARED_IDS } from '#core/ingest/who-may-link'

const anonymous = 'anon_0123abcd'

/** The list of PostHog, in the case in which it has them. */
const FALSE_IDS = [
  ...['anonymous', 'guest', 'distinctid', 'distinct_id', 'id', 'not_authenticated', 'email', 'undefined'],
  ...['true', 'false', '[object Object]', 'NaN', 'None', 'none', 'null', '0', '', ' ', '\t\n'],
]
const spellings = (id: string) => [
  ...[id, id.toUpperCase(), `"${id}"`, `'${id}'`, ` ${id} `, `"'${id}'"`, `" ${id} "`],
]

test.each(FALSE_IDS)(
  'the false id %j is never an end of a link, in any spelling and with any credential',
  id => {
    for (const spelling of spellings(id)) {
      for (const hasCredential of [true, false]) {
        expect(refuseLink({ previous_id: spelling, user_id: 'u1' }, hasCredential)).toBe('shared_id')
        expect(refuseLink({ previous_id: anonymous, user_id: spelling }, hasCredential)).toBe('shared_id')
      }
    }
  },
)

test.each(['nullable', 'id-1', '00', 'guest1', '"', "o'brien", 'user@email'])('%j is an ordinary id', id => {
  expect(SHARED_IDS.has(id.toLowerCase())).toBe(false)
  expect(refuseLink({ previous_id: anonymous, user_id: id }, false)).toBeNull()
})

test.each(['u-1', 'anon_', 'anon_1234567', 'ANON_0123abcd', ' anon_0123abcd', 'xanon_0123abcd'])(
  'without a credential %j cannot be linked, and with one it can',
  previous_id => {
    expect(refuseLink({ previous_id, user_id: 'u2' }, false)).toBe('not_anonymous')
    expect(refuseLink({ previous_id, user_id: 'u2' }, true)).toBeNull()
  },
)

test('the tracker may link a device to a user, and a device to a device', () => {
  expect(refuseLink({ previous_id: anonymous, user_id: 'u1' }, false)).toBeNull()
  expect(refuseLink({ previous_id: anonymous, user_id: 'anon_other0001' }, false)).toBeNull()
})

test('without a credential nobody moves identified ids over a device', () => {
  const link = (previous_id: string, user_id: string, seq: number, hasCredential: boolean) => ({
    ...{ previous_id, user_id, at: 1, seq, hasCredential },
  })
  const stolen = link(anonymous, 'thief', 2, false)
  const together = decideLinks('proj_1', [link('u1', anonymous, 1, true), stolen], new Map())
  expect(together.refused).toEqual([{ link: stolen, reason: 'identified' }])
  expect(together.holders).toEqual([anonymous])
  // The same when the state remembers it.
  const known: Map<string, KnownId> = new Map([
    [anonymous, { to: null, user_id: null, holdsIdentified: true }],
  ])
  expect(decideLinks('proj_1', [stolen], known).refused).toHaveLength(1)
  expect(decideLinks('proj_1', [{ ...stolen, hasCredential: true }], known).accepted).toHaveLength(1)
})
