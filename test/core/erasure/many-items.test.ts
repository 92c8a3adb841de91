import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { partition } from '#core/identity/links/pointers'
import { writeItems } from '#core/state/write-items'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { countItems } from '#test/support/count-items'
import { openErasurePipeline } from '#test/support/erasure-pipeline'
import { createIdentities } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

/** How the end of an erasure depends on all else that the state has. */

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const OTHERS = 20_000

/**
 * Pointers, traits and erased ids of other persons, in the project and beside it. Traits stand beside it
 * only: the traits files of the project are written anew for all persons of it who are removed together.
 */
async function addOthers(): Promise<void> {
  const sks = ['to#', 'traits#', 'email-of#', 'email#hash#', 'erased#000000000000001#']
  await writeItems(
    state,
    Array.from({ length: OTHERS }, (_, i) => {
      const kind = sks[i % sks.length]
      const pk = partition(i % 2 === 0 && kind !== 'traits#' ? 'proj_1' : `proj_other_${i % 99}`)
      const sk = `${kind}${i.toString(16).padStart(32, '0')}`
      const Item = {
        pk,
        sk,
        to: 'u',
        user_id: 'u',
        previous_id: `anon_${i}`,
        digests: new Uint8Array(16),
        until: 1,
      }
      return { PutRequest: { Item } }
    }),
  )
}

/** The items that are read and written from the erasure of a person until its receipt says done. */
async function measureErasure() {
  const dir = mkdtempSync(join(tmpdir(), 'footfall-erasure-'))
  const counted = countItems(state)
  try {
    const { erasures, store, waitUntilDone, clock } = openErasurePipeline({ ...state, ...counted.state }, dir)
    const project = testProject({ id: 'proj_1', name: 'one', bucket: 7 })
    const { add, fold, identity } = createIdentities({
      ...{ state: counted.state, lake: createSimulatedLake(), clock, owned: [project] },
      onRemoved: (id, removed) => erasures.noteIdentity(id, removed),
    })
    await add('proj_1', [{ previous_id: 'anon_ada', user_id: 'ada', traits: { plan: 'pro' } }])
    await store('ada', 'bob')
    let id = ''
    const counts = await counted.measure(async () => {
      const ids = ['ada', 'anon_ada']
      id = await erasures.erasePerson([{ project, events: 1, sessions: 1 }], ids)
      await identity.removePerson(await identity.scopeOf(project), ids, { id })
      await fold.run()
      await waitUntilDone(id)
    })
    const receipt = await erasures.progress('acc_1', id)
    return { counts, receipt }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test(`an erasure is done after as many reads and writes with ${OTHERS} items of others as without them`, async () => {
  const alone = await measureErasure()
  await state.empty()
  await addOthers()
  const among = await measureErasure()
  for (const { receipt } of [alone, among])
    expect(receipt).toMatchObject({ status: 'done', links: 1, profiles: 1 })
  expect(among.counts).toEqual(alone.counts)
})
