import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createArrivalOrder } from '#core/ingest/ids'
import { type StreamRecord, unpackRecord } from '#core/ingest/record'
import { utcDate } from '#core/time'
import { isSeedUnfinished, type SeedServices, seedDemo } from '#local/demo/seed'
import { EXPOSURE_EVENT } from '#schemas/experiments'
import { cleanUp, newFolder } from '#test/support/service-process'

const now = Date.UTC(2026, 10, 20, 12)
/** Enough events for several appends. */
const EVENTS = 4_000
const project = {
  id: 'proj_1',
  account_id: 'acc_1',
  name: 'demo',
  project_token: 'aat_1',
  allowed_origins: '*',
  link_domains: [],
  source_scan_id: null,
  timezone: null,
  display_name: null,
  retention_days: null,
  bucket: 3,
  has_event_ids: false,
  has_links: false,
  has_linked_anonymous_ids: false,
  portfolio_id: null,
  created_at: new Date(now).toISOString(),
  deleted_at: null,
}

let dataDir: string
let appended: Uint8Array[][]
beforeEach(() => {
  dataDir = newFolder()
  appended = []
})
afterAll(cleanUp)

function services(overrides: Partial<SeedServices> = {}): SeedServices {
  return {
    dataDir,
    stream: { append: async records => void appended.push([...records]) },
    ids: createArrivalOrder(),
    clock: { now: () => now },
    ...overrides,
  }
}

function records(): Extract<StreamRecord, { kind: 'events' }>[] {
  return appended.flat().flatMap(bytes => {
    const record = unpackRecord(bytes)
    return record.kind === 'events' ? [record] : []
  })
}

function bots(): Extract<StreamRecord, { kind: 'bots' }>[] {
  return appended.flat().flatMap(bytes => {
    const record = unpackRecord(bytes)
    return record.kind === 'bots' ? [record] : []
  })
}

/** The event ids of the traffic, without the exposures of the experiment. */
function eventIds(): (string | null)[] {
  const events = records().flatMap(record => record.events)
  return events.filter(({ event }) => event !== EXPOSURE_EVENT).map(({ event_id }) => event_id)
}

test('thirty days of traffic are appended for the project, each event once', async () => {
  await seedDemo(services(), project, EVENTS)
  expect(new Set(eventIds()).size).toBe(EVENTS)
  expect(eventIds()).toHaveLength(EVENTS)
  expect(records().every(({ project_id, bucket }) => project_id === 'proj_1' && bucket === 3)).toBe(true)
  expect(isSeedUnfinished(dataDir)).toBe(false)
})

test('bots visit the demo project on each of the thirty days', async () => {
  await seedDemo(services(), project, EVENTS)
  expect(new Set(bots().map(({ received_at }) => utcDate(received_at))).size).toBeGreaterThanOrEqual(30)
  expect(new Set(bots().map(({ category }) => category)).size).toBeGreaterThan(3)
  for (const { received_at, project_id } of bots()) {
    expect(received_at).toBeLessThan(now)
    expect(project_id).toBe('proj_1')
  }
})

test('no record arrives in the future, and no two records have the same position', async () => {
  await seedDemo(services(), project, EVENTS)
  const positions = records().map(record => `${record.received_at} ${record.seq}`)
  expect(new Set(positions).size).toBe(positions.length)
  expect(Math.max(...records().map(record => record.received_at))).toBeLessThanOrEqual(now)
})

test('a seed that was interrupted goes on with the append that was not acknowledged and the same event ids, also a day later', async () => {
  const failingStream = {
    append: async (chunk: readonly Uint8Array[]) => {
      appended.push([...chunk])
      // The log has the records, but the process dies before it knows.
      if (appended.length === 3) throw new Error('killed')
    },
  }
  const failingSeed = seedDemo(services({ stream: failingStream }), project, EVENTS)
  await expect(failingSeed).rejects.toThrow('killed')
  expect(isSeedUnfinished(dataDir)).toBe(true)
  const [first, second, third] = appended
  appended = [third ?? []]
  const lastEvents = records().map(({ events }) => events)
  appended = []
  await seedDemo(services({ clock: { now: () => now + 86_400_000 } }), project, EVENTS)
  expect(
    records()
      .slice(0, lastEvents.length)
      .map(({ events }) => events),
  ).toEqual(lastEvents)
  appended = [first ?? [], second ?? [], ...appended]
  expect(eventIds()).toHaveLength(EVENTS)
  expect(new Set(eventIds()).size).toBe(EVENTS)
  expect(existsSync(join(dataDir, 'seeding'))).toBe(false)
})
