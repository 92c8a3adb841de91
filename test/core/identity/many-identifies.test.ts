import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeLinks } from '#core/identity/links/link-rows'
import { CLAIM_RECORDS } from '#core/lake/consume/consumer'
import { linksPrefix, parseLinksKey } from '#core/lake/model/keys'
import { createSimulatedLake } from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { countItems } from '#test/support/count-items'
import { repeats } from '#test/support/depth'
import { createIdentities, type Identified } from '#test/support/identity-files'
import { openTestState, type TestState } from '#test/support/test-state'

/** What the fold of identities does at the sizes of an attack, of an import and of a large install. */

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
beforeEach(() => state.empty())
afterAll(() => state.close())

const ATTACK = 20_000
const IMPORT = repeats(2_000, { countPerDepth: 50_000, maxCount: 100_000 })
/**
 * A process of 512 MB once ended at 350,000 links that it made anew. Deep runs have more than MOST_ROWS;
 * depth 1 has links of one part.
 */
const LINKS = repeats(3_100, { countPerDepth: 60_000, maxCount: 350_000 })
/** Links that are in memory at a time, and a page of the state table. */
const MOST_ROWS = 20_000 + 10_000
/**
 * The cursor of the fold, the bytes of links without a credential, and the item that names the links files,
 * several times for each slice.
 */
const MOST_ITEMS_OF_A_SLICE = 6

function setUp() {
  const counted = countItems(state)
  const project = testProject({ id: 'proj_1', name: 'one' })
  const other = testProject({ id: 'proj_2', name: 'two' })
  const lake = createSimulatedLake()
  const services = { lake, clock: { now: () => 1_000 }, owned: [project, other] }
  const identities = createIdentities({ ...services, state: counted.state })

  /** Folds requests in claims of the largest size. Returns the items that the fold has read and written. */
  async function foldAll(requests: readonly Identified[]) {
    for (let from = 0; from < requests.length; from += CLAIM_RECORDS)
      await identities.write(project.id, requests.slice(from, from + CLAIM_RECORDS))
    return counted.measure(() => identities.fold.run())
  }

  return { ...identities, project, other, lake, foldAll, measure: counted.measure }
}

function requestsOf(count: number, request: (i: number) => Identified): Identified[] {
  return Array.from({ length: count }, (_, i) => request(i))
}

test(`${ATTACK} identify requests to one id write an item each, and the next one costs what the first did`, async () => {
  const attack = (i: number) => ({ previous_id: `anon_${i}`, user_id: 'victim', hasCredential: false })
  const { foldAll, finals, identity, project } = setUp()
  const first = await foldAll([attack(ATTACK)])
  const all = await foldAll(requestsOf(ATTACK, attack))
  expect(all.written).toBeGreaterThanOrEqual(ATTACK)
  expect(all.written).toBeLessThanOrEqual(ATTACK + MOST_ITEMS_OF_A_SLICE)
  expect(all.read).toBeLessThan(4 * ATTACK)
  expect(await foldAll([attack(ATTACK + 1)])).toEqual(first)
  const scope = await identity.scopeOf(project)
  expect((await finals(scope)).size).toBe(ATTACK + 2)
  expect(await identity.finalId(scope, 'anon_7')).toBe('victim')
})

test(`an import of ${IMPORT} users writes their pointers, traits, addresses and index entries, and the next user costs what the first did`, async () => {
  const user = (i: number) => ({
    ...{ previous_id: `anon_${i}`, user_id: `user-${i}`, email_hash: `hash ${i}`, traits: { plan: 'pro' } },
  })
  const { foldAll, identity } = setUp()
  const first = await foldAll([user(IMPORT)])
  const all = await foldAll(requestsOf(IMPORT, user))
  const claims = Math.ceil(IMPORT / CLAIM_RECORDS)
  expect(all.written).toBeGreaterThanOrEqual(4 * IMPORT)
  expect(all.written).toBeLessThanOrEqual(4 * IMPORT + claims * MOST_ITEMS_OF_A_SLICE)
  expect(await foldAll([user(IMPORT + 1)])).toEqual(first)
  expect(await identity.openPeople().findByEmail('proj_1', 'hash 17')).toEqual(['user-17'])
})

test(`${LINKS} links are made anew, and added to a joined scope, in parts that fit into a small process`, async () => {
  const { identity, fold, foldAll, finals, project, other, lake, measure } = setUp()
  await foldAll(requestsOf(LINKS, i => ({ previous_id: `anon_${i}`, user_id: `user-${i}` })))

  await lake.delete(lake.keys(linksPrefix(project.bucket)))
  const { put } = lake
  const written: number[] = []
  lake.put = async (key, bytes) => {
    if (parseLinksKey(key) !== null) written.push((await decodeLinks(bytes)).length)
    await put(key, bytes)
  }
  await identity.repairLinks(project.bucket)
  await fold.run()
  // Merges of these parts may follow.
  const parts = written.slice(0, Math.ceil(LINKS / MOST_ROWS))
  expect(Math.max(...parts)).toBeLessThanOrEqual(MOST_ROWS)
  expect((await finals(await identity.scopeOf(project))).size).toBe(LINKS)

  for (const each of [project, other])
    Object.assign(each, { portfolio_id: 'pf_1', link_domains: ['two.example'] })
  const writes: number[] = []
  while ((await identity.scopeOf(project)).key === project.id)
    writes.push((await measure(() => fold.run())).written)
  expect(Math.max(...writes)).toBeLessThanOrEqual(MOST_ROWS)
  expect((await finals(await identity.scopeOf(project))).size).toBe(LINKS)
}, 900_000)
