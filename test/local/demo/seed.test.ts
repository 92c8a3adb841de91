import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createArrivalOrder } from '#core/ingest/ids'
import { type StreamRecord, unpackRecord } from '#core/ingest/record'
import { DEMO_EVENTS, isSeedUnfinished, type SeedServices, seedDemo } from '#local/demo/seed'
import { cleanUp, newFolder } from '#test/support/service'

const now = Date.UTC(2026, 10, 20, 12)
const project = {
  id: 'proj_1',
  account_id: 'acc_1',
  name: 'demo',
  project_token: 'aat_1',
  allowed_origins: '*',
  link_domains: [],
  source_scan_id: null,
  bucket: 3,
  has_event_ids: false,
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
  return appended.flat().map(bytes => {
    const record = unpackRecord(bytes)
    if (record.kind !== 'events') throw new Error('not events')
    return record
  })
}

function eventIds(): (string | null)[] {
  return records().flatMap(record => record.events.map(event => event.event_id))
}

test('thirty days of traffic go onto the stream for the project, each event once', async () => {
  await seedDemo(services(), project)
  expect(new Set(eventIds()).size).toBe(DEMO_EVENTS)
  expect(eventIds()).toHaveLength(DEMO_EVENTS)
  expect(records().every(({ project_id, bucket }) => project_id === 'proj_1' && bucket === 3)).toBe(true)
  expect(isSeedUnfinished(dataDir)).toBe(false)
})

test('no record is so new that it has not arrived yet, or has the place of another', async () => {
  await seedDemo(services(), project)
  const places = records().map(record => `${record.received_at} ${record.seq}`)
  expect(new Set(places).size).toBe(places.length)
  expect(Math.max(...records().map(record => record.received_at))).toBeLessThanOrEqual(now)
})

test('a seed that was cut off is sent again with the same ids, whatever time it is then', async () => {
  let left = 3
  const cutOff = {
    append: async (chunk: readonly Uint8Array[]) => {
      if (left === 0) throw new Error('killed')
      left -= 1
      appended.push([...chunk])
    },
  }
  await expect(seedDemo(services({ stream: cutOff }), project)).rejects.toThrow('killed')
  expect(isSeedUnfinished(dataDir)).toBe(true)
  const first = records()
  appended = []
  await seedDemo(services({ clock: { now: () => now + 86_400_000 } }), project)
  expect(
    records()
      .slice(0, first.length)
      .map(({ events }) => events),
  ).toEqual(first.map(({ events }) => events))
  expect(existsSync(join(dataDir, 'seeding'))).toBe(false)
})
