import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openErasures } from '#core/erasure/open-erasures'
import type { IdentifyRecord, StreamRecord } from '#core/ingest/record'
import { createLakeWorker } from '#core/lake/compact/jobs'
import { createMaintenance } from '#core/lake/compact/maintenance'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createLiveBuffer } from '#core/live/buffer'
import { createLiveCheckpoint } from '#core/live/checkpoint'
import { createLiveConsumer } from '#core/live/consumer'
import type { Project } from '#core/projects/project'
import { scanPages } from '#core/state/query-all'
import { createLakeStores, createStores } from '#core/stores'
import { DAY_MS, utcDate } from '#core/time'
import { mapSize } from '#local/state/values'
import {
  createSimulatedCompactor,
  createSimulatedLake,
  createSimulatedQueue,
  createSimulatedStream,
  encodeSimulated,
  encodeSimulatedTombstones,
} from '#test/simulation/simulated-ports'
import { testProject } from '#test/support/account-fixtures'
import { repeats } from '#test/support/depth'
import { eventsRecord } from '#test/support/events-record'
import { createFakeClock } from '#test/support/fake-clock'
import { createIdentities } from '#test/support/identity-files'
import { noMending, nothingOld } from '#test/support/no-receipts'
import { openTestState, type TestState } from '#test/support/test-state'

/**
 * A year of use: claims of events, identify requests and bots, each folded, with erasures, reads and the live
 * buffer, over a real state table. The busiest hour has a claim a second, as when the item of the links files
 * grew by each claim. The rest of the year has claims hours apart.
 */

const START = Date.UTC(2026, 0, 1)
const DAYS = 365
/**
 * In the deepest runs more than the 4,415 claims after which the item of the links files was once too large.
 */
const BUSY_CLAIMS = repeats(30, { countPerDepth: 1_000, maxCount: 5_000 })
/** The claims of the rest of the year. */
const QUIET_CLAIMS = repeats(30, { countPerDepth: 200, maxCount: 400 })
const CLAIMS = BUSY_CLAIMS + QUIET_CLAIMS
/** An erasure comes after every tenth claim, and all items are measured after every fifth erasure. */
const ERASE_EVERY = 10
const MEASURE_EVERY = 50
/** With 90 bytes a claim, as once, the links files of each of three buckets would take more, bytes. */
const MOST_AT_END = 6_000
/** Users who identify themselves again and again, in turns. */
const USERS = 97

/**
 * A kind of item: its row in docs/state-items.md, what its keys look like, and the most bytes of one item.
 */
type Kind = { row: string; keys: RegExp; bytes: number }

/**
 * The kinds that the year writes. The busiest installs reach the bounds of the document, and this year less.
 */
const KINDS: Kind[] = [
  { row: 'epoch of the lake', keys: /\$lake_1$/, bytes: 6_000 },
  { row: 'shard', keys: /\$shard_1#/, bytes: 1_000 },
  { row: 'job', keys: /\$lakejob_1$/, bytes: 1_000 },
  { row: 'name of the manifest of a bucket', keys: /\$manifest_1#/, bytes: 200 },
  { row: 'sweep', keys: /^lake-sweeps /, bytes: 1_000 },
  { row: 'empty epochs', keys: /\$emptyepochs_1$/, bytes: 2_000 },
  {
    row: 'receipt of an erasure, completion of a batch',
    keys: /\$erasure_1$|^erasures#\d+ /,
    bytes: 1_000,
  },
  { row: 'erased ids of a project', keys: /^identity#\S+ erased#/, bytes: 1_000 },
  { row: 'list of erasures of a project', keys: /^identity#\S+ erased-at#/, bytes: 1_000 },
  { row: 'name of what names the links files of a bucket', keys: /^identity-levels /, bytes: 200 },
  { row: 'position of the fold', keys: /^identity-fold head$/, bytes: 1_000 },
  { row: 'pause of removals', keys: /^identity-fold removals$/, bytes: 1_000 },
  { row: 'pointer of a linked id', keys: /^identity#\S+ to#/, bytes: 3_000 },
  {
    row: 'traits and address of a user',
    keys: /^identity#\S+ (traits|email-of)#/,
    bytes: 17_000,
  },
  { row: 'entry of the e-mail index', keys: /^identity#\S+ email#/, bytes: 1_000 },
  { row: 'refused links and traits of a project', keys: /^identity#\S+ refused$/, bytes: 1_000 },
  { row: 'name of the traits files of a project', keys: /^identity#\S+ traits-files$/, bytes: 1_500 },
  { row: 'work of the fold', keys: /^identity-work /, bytes: 1_000 },
  { row: 'next writing of traits files', keys: /^identity-traits /, bytes: 300 },
  { row: 'counters of a month, totals', keys: /^usage#\S+ (\d{4}-\d\d#|total$)/, bytes: 20_000 },
  { row: 'open counts of one of 16 partitions', keys: /^opencounts#/, bytes: 16_000 },
  { row: 'bots of a day', keys: /^bots#/, bytes: 20_000 },
  { row: 'live chunk, live checkpoint, stream lease', keys: /^live(#\S+|-checkpoint) /, bytes: 20_000 },
]

let state: TestState
beforeAll(async () => {
  state = await openTestState()
})
afterAll(() => state.close())

function openYear() {
  const clock = createFakeClock(START, { movesItself: true })
  const projects = [1, 2, 3].map(i =>
    testProject({ id: `proj_${i}`, name: `site ${i}`, bucket: i, account_id: 'acct_1' }),
  )
  const lake = createSimulatedLake()
  const stream = createSimulatedStream()
  const queue = createSimulatedQueue()
  const { usage } = createStores(state, clock)
  const { lakeState, receipts } = createLakeStores({ ...state, lake }, clock)
  const log = () => {}
  const erasures = openErasures({
    ...{ ...state, lakeState, lake, clock, encode: encodeSimulatedTombstones },
  })
  const identities = createIdentities({
    ...{ state, lake, clock, owned: projects, lakeState },
    onRemoved: (id, { links, profiles }) => erasures.noteIdentity(id, { links, profiles }),
  })
  const directory = { byId: identities.services.projects.byId, noteEventIds: async () => {} }
  const common = { state: lakeState, lake, usage, tombstones: noMending, clock, log }
  const consumer = createLakeConsumer({ ...common, stream, projects: directory, encode: encodeSimulated })
  const compactor = createSimulatedCompactor(lake)
  const worker = createLakeWorker({ ...common, compactor, projects: directory })
  const maintenance = createMaintenance({
    ...common,
    jobs: queue,
    ...receipts,
    ...nothingOld,
  })
  const live = createLiveConsumer({ buffer: createLiveBuffer(state, { clock, bufferMs: 300_000 }) })
  const checkpoint = createLiveCheckpoint(state)

  async function claim(records: readonly StreamRecord[]): Promise<void> {
    const { highWater } = await lakeState.shard('s0')
    for (const record of records) stream.accept('s0', record)
    const batch = await stream.read('s0', highWater, records.length)
    await consumer.consume('s0', batch)
    await live.consumeBatch('s0', batch)
    await checkpoint.write('s0', String(batch.at(-1)?.sequence))
    stream.byName.get('s0')?.entries.splice(0)
  }

  async function erase(project: Project, ids: readonly string[]): Promise<void> {
    const { identity } = identities
    const scope = await identity.scopeOf(project)
    await erasures.erasePerson([{ project, events: 1, sessions: 0 }], ids, (id, until) =>
      identity.removePerson(scope, ids, { id, until }),
    )
  }

  async function maintain(): Promise<void> {
    await identities.fold.run()
    await maintenance.tick()
    for (const job of queue.jobs.splice(0)) await worker.run(job)
    await state.deleteExpired(Math.floor(clock.time / 1_000))
  }

  return { clock, projects, usage, erase, claim, maintain }
}

/** What arrives before the claim of this number: each kind of record, and each kind of identify request. */
function recordsOf(i: number, now: number, project: Project): StreamRecord[] {
  const common = { project_id: project.id, account_id: project.account_id, received_at: now }
  const identify = (seq: number, previous_id: string, more: Partial<IdentifyRecord>): IdentifyRecord => ({
    ...{ kind: 'identify', ...common, seq, previous_id, user_id: `user ${i % USERS}` },
    ...{ traits: null, email_hash: null, has_credential: true, ...more },
  })
  const events = eventsRecord(
    ['page_view', 'click'],
    now,
    { user_id: `anon_${i}`, event_id: `id ${i}` },
    4 * i,
  )
  return [
    { ...events, ...common, bucket: project.bucket } as StreamRecord,
    identify(4 * i + 1, `anon_${i}`, { traits: { plan: `plan ${i}` }, email_hash: `hash ${i}` }),
    identify(4 * i + 2, `user ${(i + 1) % USERS}`, { has_credential: false, refused: 'not_anonymous' }),
    { kind: 'bots', ...common, category: 'ai', actor: 'GPTBot', dropped: 1, rules_version: '1' },
  ]
}

/** Notes the largest item of each kind. Each item is of one kind. */
async function measureItems(largest: Map<Kind, number>): Promise<void> {
  for await (const items of scanPages(state, {})) {
    for (const item of items) {
      const name = `${item.pk} ${item.sk}`
      const [kind, other] = KINDS.filter(({ keys }) => keys.test(name))
      if (kind === undefined || other !== undefined) throw new Error(`${name} is not of one kind`)
      largest.set(kind, Math.max(mapSize(item), largest.get(kind) ?? 0))
    }
  }
}

test(`after a year of ${CLAIMS} claims every item of the state is as small as docs/state-items.md says`, async () => {
  const { clock, projects, usage, erase, claim, maintain } = openYear()
  const largest = new Map<Kind, number>()
  for (let i = 0; i < CLAIMS; i++) {
    clock.time += i < BUSY_CLAIMS ? 1_000 : (DAYS * DAY_MS) / QUIET_CLAIMS
    const project = projects[i % projects.length] as Project
    await claim(recordsOf(i, clock.time, project))
    await usage.addRead(project.id, project.account_id, utcDate(clock.time))
    if (i % ERASE_EVERY === 0) await erase(project, [`anon_${i}`, `user ${i % USERS}`])
    if (i % MEASURE_EVERY === 0) await measureItems(largest)
    await maintain()
  }
  const atEnd = new Map<Kind, number>()
  await measureItems(atEnd)
  expect(clock.time).toBeGreaterThanOrEqual(START + DAYS * DAY_MS)
  expect(KINDS.filter(kind => !largest.has(kind))).toEqual([])
  for (const [{ row, bytes }, size] of largest) expect(size, row).toBeLessThanOrEqual(bytes)
  for (const [{ row }, size] of atEnd) expect(size, row).toBeLessThanOrEqual(MOST_AT_END)
}, 900_000)

describe('docs/state-items.md', () => {
  const document = readFileSync('docs/state-items.md', 'utf8')

  test('has a row for each kind that the year writes', () => {
    const rows = [...document.matchAll(/^\| (.+?) \|/gm)].map(([, row]) => row)
    for (const { row } of KINDS) expect(rows).toContain(row)
  })

  test('names each module of core that writes items, or its folder', () => {
    const named = [...document.matchAll(/`([\w/.-]+)`/g)].map(([, name]) => String(name))
    const isNamed = (file: string) =>
      named.some(name =>
        name.endsWith('/') ? file.startsWith(name) : file === name || file.endsWith(`/${name}`),
      )
    const writers = globSync('core/**/*.ts').filter(file =>
      /new Entity\(|PutRequest|client\.(put|update)\(/.test(readFileSync(file, 'utf8')),
    )
    expect(writers.length).toBeGreaterThan(40)
    expect(writers.filter(file => !isNamed(file))).toEqual([])
  })
})
