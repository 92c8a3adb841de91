import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRefusedCounts } from '#core/identity/fold/refused-counts'
import { createLevelStore } from '#core/identity/links/level-store'
import { createPointers } from '#core/identity/links/pointers'
import { publicLinkBytes } from '#core/identity/links/public-link-bytes'
import { createPublicLinks } from '#core/identity/links/public-links'
import type { Lake } from '#core/ports'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { propertySettings } from '#test/support/depth'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { LINKED_IDS, processLinks, randomLinks } from '#test/support/random-links'
import { openTestState, type TestState } from '#test/support/test-state'

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

/** What is counted of a project in bucket 7, and what its links take. */
async function bytesOf(lake: Lake, projectId: string, ids: readonly string[]) {
  const { folded } = await createLevelStore({ ...state, lake }).read(7)
  const counted = await createPublicLinks(state).read(projectId, folded, async () => false)
  const known = await createPointers(state).read(projectId, ids)
  const sizes = [...known].flatMap(([previous_id, { user_id }]) =>
    user_id === null ? [] : [publicLinkBytes({ previous_id, user_id })],
  )
  return { counted, taken: sizes.reduce((sum, size) => sum + size, 0) }
}

test('links without a credential count once, after any kills and repetitions, and never pass the bound', async () => {
  let crashes = 0
  let full = 0
  await fc.assert(
    fc.asyncProperty(randomLinks, fc.constantFrom(1_000, 1_500, 1e9), async (given, maxPublicLinkBytes) => {
      await state.empty()
      const lake = createSimulatedLake()
      const processed = await processLinks(given, { state, lake, maxPublicLinkBytes })
      crashes += processed.crashes
      for (const id of ['proj_a', 'proj_b']) {
        const { counted, taken } = await bytesOf(lake, id, LINKED_IDS)
        expect(counted).toBe(taken)
        expect(taken).toBeLessThanOrEqual(maxPublicLinkBytes)
        full += (await createRefusedCounts(state).read(id)).no_room ?? 0
      }
    }),
    { ...propertySettings(10), endOnFailure: false },
  )
  // Folds must crash, and projects must be full, or the test proves little.
  expect([crashes > 1, full > 1]).toEqual([true, true])
}, 600_000)

test('a full project refuses and counts new links, keeps those it has, and makes those with a credential', async () => {
  const project = testProject({ id: 'proj_1', name: 'one', bucket: 7 })
  const links = Array.from({ length: 2_000 }, (_, i) => ({ previous_id: `anon_${i}`, user_id: `user_${i}` }))
  const maxPublicLinkBytes = 1_000 * publicLinkBytes({ previous_id: 'anon_1234', user_id: 'user_1234' })
  const lake = createSimulatedLake()
  const { write, fold, identity } = createIdentities({
    ...{ state, lake, owned: [project], clock: { now: () => 1_000 } },
    maxPublicLinkBytes,
  })
  const send = async (requests: readonly Identified[]) => {
    await write(project.id, requests)
    await fold.run()
  }
  const ids = links.map(({ previous_id }) => previous_id)
  for (let from = 0; from < links.length; from += 400)
    await send(links.slice(from, from + 400).map(link => ({ ...link, hasCredential: false })))
  const { counted, taken } = await bytesOf(lake, project.id, ids)
  expect(counted).toBe(taken)
  expect(taken).toBeLessThanOrEqual(maxPublicLinkBytes)
  expect(taken).toBeGreaterThan(maxPublicLinkBytes - 500)
  const refused = Number((await identity.refusedLinks(project.id)).no_room)
  expect(refused).toBeGreaterThan(950)
  const scope = await identity.scopeOf(project)
  expect(await identity.finalId(scope, 'anon_0')).toBe('user_0')
  expect(await identity.finalId(scope, 'anon_1999')).toBe('anon_1999')
  await send([{ ...(links[0] as Identified), hasCredential: false }])
  expect(await identity.refusedLinks(project.id)).toEqual({ no_room: refused })
  await send([{ ...(links[1_999] as Identified), hasCredential: true }])
  expect(await identity.finalId(scope, 'anon_1999')).toBe('user_1999')
  expect(
    (
      await bytesOf(
        lake,
        project.id,
        links.slice(0, 1_999).map(link => link.previous_id),
      )
    ).counted,
  ).toBe(counted)
})
