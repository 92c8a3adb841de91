import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { resolveLinks } from '#core/identity/links'
import { propertySettings } from '#test/support/depth'
import type { SentEvent } from '#test/support/oracle'
import { oracleIdentity, type SentLink } from '#test/support/oracle/identity'
import { NOW } from '#test/support/random-history'
import { LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { createSimulatedLake } from '#test/support/simulated-ports'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState

beforeAll(async () => {
  state = await openTestState()
})

afterAll(() => state.close())

test('links resolve by the rules of docs/api/identity.md, in whatever order and however often they are given', async () => {
  await fc.assert(
    fc.property(randomLinks, ({ links, order }) => {
      const { finalId } = oracleIdentity(links, () => 'one scope')
      const given = [...order, ...order.slice(0, 3)].map(i => ({
        previous_id: links[i]?.previous_id as string,
        user_id: links[i]?.user_id as string,
        at: Math.floor(i / 2),
        seq: i,
      }))
      const finals = resolveLinks(given)
      for (const id of LINKED_IDS) expect(finals.get(id) ?? id).toBe(finalId('proj_a', id))
    }),
    { ...propertySettings(150), endOnFailure: false },
  )
})

test('ids resolve by the rules of docs/api/identity.md after any order of links, batches, failures and reads', async () => {
  await fc.assert(
    fc.asyncProperty(randomLinks, async given => {
      await state.empty()
      const { identity, project } = await processLinks(given, { state, lake: createSimulatedLake() })
      const { finalId } = oracleIdentity(given.links, id => (given.isJoined ? 'joined' : id))
      for (const id of ['proj_a', 'proj_b']) {
        const scope = await identity.scopeOf(project(id))
        for (const user of LINKED_IDS) {
          const final = finalId(id, user)
          expect(await identity.finalId(scope, user)).toBe(final)
          const person = LINKED_IDS.filter(other => finalId(id, other) === final)
          expect((await identity.personIds(scope, user)).toSorted()).toEqual(person.toSorted())
        }
      }
    }),
    { ...propertySettings(2), endOnFailure: false },
  )
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
        const { identity, project } = await processLinks(given, { state, lake: createSimulatedLake() })
        const scope = await identity.scopeOf(project('proj_a'))
        const ids = await identity.personIds(scope, erased)
        const projects = scope.projects.map(({ id }) => id)
        const isGone = ({ project_id, previous_id, user_id }: SentLink) =>
          projects.includes(project_id) && (ids.includes(previous_id) || ids.includes(user_id))
        erasedLinks += given.links.filter(isGone).length
        await identity.erasePerson(scope, ids)
        // A claim is replayed.
        await identity.add('proj_a', toLinks(given.links, 'proj_a'), [])
        const laterLinks = later
          .filter(([previous_id, user_id]) => previous_id !== user_id)
          .map(([previous_id, user_id]) => ({ project_id: 'proj_a', previous_id, user_id }))
        await identity.add(
          'proj_a',
          laterLinks.map((link, seq) => ({ ...link, at: NOW + 1, seq })),
          [],
        )
        const remaining = [...given.links.filter(link => !isGone(link)), ...laterLinks]
        const { finalId } = oracleIdentity(remaining, id => (given.isJoined ? 'joined' : id))
        for (const id of ['proj_a', 'proj_b']) {
          const of = await identity.scopeOf(project(id))
          for (const user of LINKED_IDS) expect(await identity.finalId(of, user)).toBe(finalId(id, user))
        }
      },
    ),
    { ...propertySettings(4), endOnFailure: false },
  )
  expect(erasedLinks).toBeGreaterThan(0)
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
