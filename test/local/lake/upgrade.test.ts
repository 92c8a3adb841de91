import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFirstEditionState } from '#core/lake/first-edition-state'
import { upgradeLake } from '#core/lake/upgrade-lake'
import type { Log } from '#core/ports'
import { createStores } from '#core/stores'
import { createFoldedEvents } from '#core/usage/folded-events'
import { createFirstEditionConverter } from '#duckdb/first-edition'
import { createFolderLake } from '#local/lake/folder'
import { openState } from '#local/state/state'
import { ProcessCrashedError } from '#test/support/crashing-state'
import { createMemoryLakeState } from '#test/support/memory-lake-state'
import { openTestState, type TestState } from '#test/support/test-state'

const FIXTURE = resolve(import.meta.dirname, '../../fixtures/first-edition/data')
const PROJECT = 'proj_fd38447f525ced16'
const clock = { now: () => Date.parse('2026-11-22T03:00:00Z') }

let state: TestState
let folder: string
let items: Record<string, unknown>[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'footfall-upgrade-'))
  cpSync(join(FIXTURE, 'state'), join(folder, 'state'), { recursive: true })
  const original = await openState(join(folder, 'state'))
  items = (await original.client.scan({ TableName: original.table })).Items ?? []
  await original.close()
  state = await openTestState()
}, 60_000)

afterAll(async () => {
  await state.close()
  rmSync(folder, { recursive: true })
})

beforeEach(async () => {
  await resetState()
})

async function resetState(): Promise<void> {
  await state.empty()
  for (const Item of items) await state.client.put({ TableName: state.table, Item })
}

/** A copy of the fixture's lake. `crashAt`: the number of the change before which the process crashes, from 0 on. */
function openCopy(name: string) {
  const copy = join(folder, name)
  cpSync(join(FIXTURE, 'lake'), join(copy, 'lake'), { recursive: true })
  const lake = createFolderLake(join(copy, 'lake'))
  const lakeState = createMemoryLakeState()
  const { usage, projects } = createStores(state, clock)

  async function upgrade(crashAt = Number.POSITIVE_INFINITY) {
    const changes: string[] = []
    const logged: string[] = []

    /** Replaces a function that makes a change by one that crashes. A deletion that crashes has deleted one object. */
    function crashable<Services extends object, Name extends keyof Services & string>(
      services: Services,
      name: Name,
    ): Services {
      const original = services[name] as (...args: unknown[]) => Promise<unknown>
      async function change(...args: unknown[]): Promise<unknown> {
        if (changes.length > crashAt) throw new ProcessCrashedError()
        changes.push(typeof args[0] === 'string' ? `${name} ${args[0]}` : name)
        if (changes.length <= crashAt) return original(...args)
        if (name === 'delete') await original((args[0] as string[]).slice(0, 1))
        throw new ProcessCrashedError()
      }
      return { ...services, [name]: change }
    }

    const crashableLake = crashable(crashable(lake, 'put'), 'delete')
    const log: Log = code => logged.push(code)
    await upgradeLake({
      firstEdition: crashable(createFirstEditionState(state), 'forget'),
      state: crashable(lakeState, 'saveManifest'),
      usage: crashable(crashable(usage, 'addClaim'), 'foldEpoch'),
      lake: crashableLake,
      converter: createFirstEditionConverter({
        ...{ lake: crashableLake, tempDir: join(copy, 'temp'), log, memoryMb: 256, threads: 1 },
      }),
      readFoldedEvents: createFoldedEvents(state),
      ...{ projects, log },
      segmentBytes: 1_000_000,
    })
    return { changes, logged }
  }

  /** Everything that a read uses: all objects by their hashes, the manifests and the counters. */
  async function readAll() {
    const objects: Record<string, string> = {}
    for (const { key } of await lake.list(''))
      objects[key] = createHash('sha256')
        .update((await lake.get(key)) ?? '')
        .digest('hex')
    const manifests = await lakeState.manifests()
    const [totals] = await usage.totals([PROJECT])
    return { objects, manifests, totals, month: await usage.month(PROJECT, '2026-11') }
  }

  return { upgrade, readAll }
}

test('an upgrade makes segments of the warm and cold files, and deletes these', async () => {
  const { upgrade, readAll } = openCopy('whole')
  const { logged } = await upgrade()
  const { objects, manifests, totals } = await readAll()
  expect(Object.keys(objects)).toEqual([
    'hot/epoch=1/local-1-8.parquet',
    'hot/epoch=2/local-9-14.parquet',
    'hot/epoch=3/local-15-19.parquet',
    'segments/activity/bucket=36/1-3-0-0.parquet',
    'segments/event-ids/bucket=36/1-3-0-0.parquet',
    'segments/events/bucket=36/1-3-0-0.parquet',
    'segments/sessions/bucket=36/1-3-0-0.parquet',
  ])
  expect(manifests.map(({ bucket, compacted }) => [bucket, compacted])).toEqual(
    Array.from({ length: 64 }, (_, bucket) => [bucket, 3]),
  )
  const [segment] = manifests[36]?.segments ?? []
  expect(segment).toMatchObject({ from: 1, until: 3, parts: 1, rows: 104, eventIds: 104 })
  // The hot file has 34 events. Its two copies count until its epoch is compacted.
  expect(totals).toEqual({ events: 104 + 34, reads: 3 })
  expect(logged).toEqual(['LAKE_UPGRADING', 'LAKE_UPGRADED'])
  expect(await createFirstEditionState(state).watermarks()).toBeNull()
})

test('an upgrade that is killed before any of its changes and started again gives the same lake', async () => {
  const whole = openCopy('reference')
  const { changes } = await whole.upgrade()
  const expected = await whole.readAll()
  // Most manifests are empty, and their saves are all alike.
  const points = changes.flatMap((label, i) =>
    label === 'saveManifest' && changes[i - 1] === label && changes[i + 1] === label ? [] : [i],
  )
  for (const point of points) {
    await resetState()
    const copy = openCopy(`crash-${point}`)
    await expect(copy.upgrade(point)).rejects.toThrow(ProcessCrashedError)
    await copy.upgrade()
    expect(await copy.readAll(), changes[point]).toEqual(expected)
  }
}, 60_000)
