import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { openErasures } from '#core/erasure/open-erasures'
import { createErasedUsers } from '#core/identity/erased-users'
import type { ArrivalOrder } from '#core/ingest/ids'
import { packRecord } from '#core/ingest/record'
import { createLakeWorker, type LakeJob } from '#core/lake/compact/jobs'
import { createMaintenance, type MaintenanceServices } from '#core/lake/compact/maintenance'
import { MAINTENANCE_DEFAULTS } from '#core/lake/compact/maintenance-settings'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import { createTombstoneMending } from '#core/lake/erase/mend-tombstones'
import { createOldRecords } from '#core/lake/erase/old-records'
import { createOldestUnread } from '#core/lake/read/freshness'
import type { Lake, StreamEntry } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLakeStores, createStores } from '#core/stores'
import { createCompactor } from '#duckdb/compactor'
import { createFolderLake } from '#local/lake/folder'
import { MANIFEST_PREFIX } from '#schemas/manifests'
import type { EventsRecord } from './build-lake.ts'
import { request } from './compactor-lake.ts'
import { createFakeClock } from './fake-clock.ts'
import type { TestState } from './test-state.ts'

export const ERASURE_START = Date.parse('2026-11-18T12:00:00Z')

/** Longer than running reads keep the files that an erasure has replaced. */
const STEP_MS = 6 * 60_000

type Sender = Pick<Project, 'id' | 'account_id' | 'bucket'>
/** The project of events without another one. */
const PROJECT: Sender = { id: 'proj_1', account_id: 'acc_1', bucket: 7 }

/**
 * The pipeline of one machine with real files and a real state table, and a clock that the test sets. Without
 * `order` events arrive at the time of the clock, as if each came in a process of its own.
 */
export function openErasurePipeline(
  state: TestState,
  dir: string,
  { scrub, order }: Pick<MaintenanceServices, 'scrub'> & { order?: ArrivalOrder } = {},
) {
  const clock = createFakeClock(ERASURE_START, { movesItself: true })
  const lake = createFolderLake(join(dir, 'lake'))
  const stores = { ...createStores(state, clock), ...createLakeStores({ ...state, lake }, clock) }
  const { lakeState, usage, receipts } = stores
  const opened = openErasures({ ...state, lakeState, lake, clock, ...(order && { order }) })
  const erasePerson: typeof opened.erasePerson = async (parts, userIds) => {
    const id = await opened.erasePerson(parts, userIds)
    // What the fold of identities does for a person without links and traits.
    await opened.noteIdentity(id, { links: 0, profiles: 0 })
    return id
  }
  const erasures = { ...opened, ...receipts, erasePerson }
  const entries: StreamEntry[] = []
  const stream = {
    shards: async () => ['0'],
    read: async (_: string, after: string | null) =>
      entries.filter(({ sequence }) => after === null || Number(sequence) > Number(after)),
  }
  const log = () => {}
  const compactor = createCompactor({ lake, tempDir: join(dir, 'temp'), log, threads: 1 })
  const readOldestUnread = createOldestUnread({ state: lakeState, stream })
  const oldestUnread = async () => (await readOldestUnread()) ?? 0
  const oldRecords = createOldRecords({ state: lakeState, lake, oldestUnread })
  const senders = new Map<string, Sender>([[PROJECT.id, PROJECT]])
  const projects = {
    byId: async (id: string) => (senders.get(id) ?? null) as Project | null,
    noteEventIds: async () => {},
  }
  const common = { state: lakeState, lake, usage, clock, log }
  const consumer = createLakeConsumer({ ...common, stream, projects })
  const tombstones = createTombstoneMending({ lake, ...createErasedUsers(state), clock, log })
  const worker = createLakeWorker({ ...common, compactor, projects, tombstones })
  const jobs: LakeJob[] = []
  const maintenance = createMaintenance(
    {
      ...common,
      jobs: { send: async job => void jobs.push(job) },
      ...receipts,
      ...(scrub !== undefined && { scrub }),
      oldRecords,
    },
    { ...MAINTENANCE_DEFAULTS, epochMs: 0, mergeSegments: 3 },
  )

  async function run(): Promise<void> {
    await maintenance.tick()
    for (const job of jobs.splice(0)) await worker.run(job)
  }

  /** Stores events of these users, and compacts them. */
  function store(...users: string[]): Promise<void> {
    return storeFor(PROJECT, ...users)
  }

  async function storeFor(project: Sender, ...users: string[]): Promise<void> {
    await consumeFor(project, ...users)
    for (let i = 0; i < 3; i++) await run()
  }

  function consumeOnly(...users: string[]): Promise<void> {
    return consumeFor(PROJECT, ...users)
  }

  async function consumeFor(project: Sender, ...users: string[]): Promise<void> {
    appendFor(project, ...users)
    await consumer.consume('0')
  }

  /** Puts events on the stream. The consumer reads them when it reads the next ones. */
  function appendFor(project: Sender, ...users: string[]): void {
    senders.set(project.id, project)
    const events = users.map(user_id => ({ user_id, session_id: `session of ${user_id}` }))
    const at = order?.take(clock.time, users.length).receivedAt ?? clock.time
    const sent = request({ project: project.id, bucket: project.bucket, at, events })
    append({ ...sent, account_id: project.account_id })
  }

  /** Writes a hot file with the events of a record. */
  async function consumeRecord(record: EventsRecord): Promise<void> {
    append(record)
    await consumer.consume('0')
  }

  function append(record: EventsRecord): void {
    entries.push({ sequence: String(entries.length + 1), data: packRecord(record) })
  }

  async function wait(ms: number): Promise<void> {
    clock.time += ms
    for (let i = 0; i < 3; i++) await run()
  }

  /** Lets at most half an hour pass, until the erasure of an account is done. */
  async function waitUntilDone(id: string, accountId = PROJECT.account_id): Promise<void> {
    for (let i = 0; i < 6; i++) {
      await wait(STEP_MS)
      if ((await erasures.progress(accountId, id))?.status === 'done') return
    }
  }

  return {
    ...stores,
    erasures,
    clock,
    lake,
    maintenance,
    worker,
    jobs,
    store,
    storeFor,
    consumeOnly,
    consumeFor,
    append: (...users: string[]) => appendFor(PROJECT, ...users),
    consumeAll: () => consumer.consume('0'),
    consumeRecord,
    wait,
    waitUntilDone,
    run,
  }
}

/** The names of files that have the text in any column of any row, and of items of the state that have it. */
export async function findText(
  state: TestState,
  lake: Pick<Lake, 'list' | 'get'>,
  text: string,
): Promise<string[]> {
  const found: string[] = []
  for (const { key } of await lake.list('')) {
    const bytes = await lake.get(key)
    if (bytes === null) continue
    if (await hasText(key, bytes, text)) found.push(key)
  }
  const { Items = [] } = await state.client.scan({ TableName: state.table })
  if (JSON.stringify(Items).includes(text)) found.push('state')
  return found
}

async function hasText(key: string, bytes: Uint8Array, text: string): Promise<boolean> {
  if (key.startsWith(MANIFEST_PREFIX)) return zstdDecompressSync(bytes).includes(text)
  const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors })
  return rows.some(row => Object.values(row).some(value => String(value).includes(text)))
}
