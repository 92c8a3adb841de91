import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { propertySettings } from '#test/support/depth'
import { oracleIdentity, type SentLink } from '#test/support/oracle/identity'
import type { SentEvent } from '#test/support/oracle/sent-event'
import { NOW } from '#test/support/random-history'
import { CHAINED_IDS, chainedLinks, LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState

beforeAll(async () => {
  state = await openTestState()
})

afterAll(() => state.close())

test('ids resolve by the rules of docs/api/identity.md after any files, crashes and reads, in the lake and in the state', async () => {
  let crashes = 0
  await fc.assert(
    fc.asyncProperty(randomLinks, async given => {
      await state.empty()
      const processed = await processLinks(given, { state, lake: createSimulatedLake() })
      const { identity, project, finals, personIds } = processed
      crashes += processed.crashes
      const { finalId } = oracleIdentity(given.links, id => (given.isJoined ? 'joined' : id))
      for (const id of ['proj_a', 'proj_b']) {
        const scope = await identity.scopeOf(project(id))
        expect(scope.projects.length).toBe(given.isJoined ? 2 : 1)
        const inLake = await finals(scope)
        for (const user of LINKED_IDS) {
          const final = finalId(id, user)
          expect(inLake.get(user) ?? user).toBe(final)
          expect(await identity.finalId(scope, user)).toBe(final)
          const person = LINKED_IDS.filter(other => finalId(id, other) === final)
          expect(await personIds(scope, user)).toEqual(person.toSorted())
        }
      }
    }),
    { ...propertySettings(4), endOnFailure: false },
  )
  // Folds must crash, or the test proves little.
  expect(crashes).toBeGreaterThan(1)
}, 600_000)

test('after an erasure the ids of the person stand for themselves, other persons stay, and later links count', async () => {
  let erasedLinks = 0
  await fc.assert(
    fc.asyncProperty(
      randomLinks,
      fc.constantFrom(...LINKED_IDS),
      fc.array(fc.tuple(fc.constantFrom(...LINKED_IDS), fc.constantFrom(...LINKED_IDS)), { maxLength: 4 }),
      async (given, erased, later) => {
        await state.empty()
        const { identity, project, personIds, write, fold, finals } = await processLinks(given, {
          ...{ state, lake: createSimulatedLake() },
        })
        const scope = await identity.scopeOf(project('proj_a'))
        const ids = await personIds(scope, erased)
        const projects = scope.projects.map(({ id }) => id)
        const isGone = ({ project_id, previous_id, user_id }: SentLink) =>
          projects.includes(project_id) && (ids.includes(previous_id) || ids.includes(user_id))
        erasedLinks += given.links.filter(isGone).length
        await identity.removePerson(scope, ids)
        // Records are replayed: they come again, in another claim.
        await write('proj_a', toLinks(given.links, 'proj_a'))
        const laterLinks = later
          .filter(([previous_id, user_id]) => previous_id !== user_id)
          .map(([previous_id, user_id]) => ({ project_id: 'proj_a', previous_id, user_id }))
        await write(
          'proj_a',
          laterLinks.map((link, seq) => ({ ...link, at: NOW + 1, seq })),
        )
        await fold.run()
        const remaining = [...given.links.filter(link => !isGone(link)), ...laterLinks]
        const { finalId } = oracleIdentity(remaining, id => (given.isJoined ? 'joined' : id))
        for (const id of ['proj_a', 'proj_b']) {
          const of = await identity.scopeOf(project(id))
          const inLake = await finals(of)
          for (const user of LINKED_IDS) {
            expect(await identity.finalId(of, user)).toBe(finalId(id, user))
            expect(inLake.get(user) ?? user).toBe(finalId(id, user))
          }
        }
      },
    ),
    { ...propertySettings(4), endOnFailure: false },
  )
  expect(erasedLinks).toBeGreaterThan(0)
}, 600_000)

test('a chain of 100 links is one person, however it came and in any part of it, for look-ups and after an erasure', async () => {
  await fc.assert(
    fc.asyncProperty(chainedLinks, fc.constantFrom(...CHAINED_IDS), async (given, asked) => {
      await state.empty()
      const { identity, project, personIds, fold, finals } = await processLinks(given, {
        ...{ state, lake: createSimulatedLake() },
      })
      const { finalId } = oracleIdentity(given.links, id => (given.isJoined ? 'joined' : id))
      const scope = await identity.scopeOf(project('proj_a'))
      expect(await identity.finalId(scope, asked)).toBe(finalId('proj_a', asked))
      const inLake = await finals(scope)
      const people = identity.openPeople()
      for (const id of CHAINED_IDS) {
        const final = finalId('proj_a', id)
        expect(inLake.get(id) ?? id).toBe(final)
        expect([await identity.finalId(scope, id), await people.finalId(scope, id)]).toEqual([final, final])
      }
      const ids = await personIds(scope, asked)
      expect(ids).toEqual(CHAINED_IDS.toSorted())
      await identity.removePerson(scope, ids)
      await fold.run()
      for (const id of CHAINED_IDS) expect(await identity.finalId(scope, id)).toBe(id)
      expect([...(await finals(scope))]).toEqual([])
    }),
    { ...propertySettings(3), endOnFailure: true },
  )
}, 600_000)

/** The links of a project as they were processed before. */
function toLinks(links: readonly SentLink[], projectId: string) {
  return links.flatMap(({ project_id, ...link }, i) =>
    project_id === projectId ? [{ ...link, at: NOW - 3_600_000 + Math.floor(i / 2), seq: i }] : [],
  )
}

test('the oracle rewrites earlier and later events of an id', () => {
  const event = (user_id: string) => ({ project_id: 'proj_a', user_id }) as SentEvent
  const chain = [
    { project_id: 'proj_a', previous_id: 'a', user_id: 'b' },
    { project_id: 'proj_a', previous_id: 'b', user_id: 'c' },
    { project_id: 'proj_a', previous_id: 'c', user_id: 'a' },
    { project_id: 'proj_a', previous_id: 'a', user_id: 'z' },
  ]
  const rewritten = oracleIdentity(chain, id => id).rewrite(['a', 'b', 'c', 'd'].map(event))
  expect(rewritten.map(({ user_id }) => user_id)).toEqual(['c', 'c', 'c', 'd'])
})
