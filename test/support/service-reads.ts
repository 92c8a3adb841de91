import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { expect } from 'vitest'
import { eventually } from './eventually.ts'
import type { Service } from './service-process.ts'

export type StoredEvent = { id: string; event_id?: string; event: string; timestamp: number }
/** A service that can be read, however it was started. */
type Readable = Pick<Service, 'baseUrl' | 'credentials'>

export type StatsTotals = { unique_users: number; total_events: number }

/** Requests a path with the owner's API key and returns the JSON body. Throws unless the status is 200. */
export async function readJson<T>({ baseUrl, credentials }: Readable, path: string): Promise<T> {
  const response = await fetch(baseUrl + path, { headers: { 'X-API-Key': credentials.api_key } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`)
  return JSON.parse(text)
}

/** Returns the totals of GET /stats for the demo project. */
export async function statsTotals(service: Readable): Promise<StatsTotals> {
  const { totals } = await readJson<{ totals: StatsTotals }>(service, '/stats?project=demo&since=1d')
  return totals
}

/** Resolves when GET /stats counts so many events of the demo project. */
export async function waitForTotal(service: Readable, events: number): Promise<void> {
  await eventually(async () => expect((await statsTotals(service)).total_events).toBe(events))
}

/** Returns every event of the demo project. Follows the cursor of GET /events. */
export async function allEvents(service: Service): Promise<StoredEvent[]> {
  const events: StoredEvent[] = []
  let cursor = ''
  for (;;) {
    const page: { events: StoredEvent[]; next_before: string | null } = await readJson(
      service,
      `/events?project=demo&since=1d&limit=1000${cursor}`,
    )
    events.push(...page.events)
    if (page.next_before === null) return events
    cursor = `&before=${encodeURIComponent(page.next_before)}`
  }
}

/**
 * Returns the event ids in the lake's event files. Reads the files with hyparquet, not with the service's
 * engine.
 */
export async function eventIdsInFiles(dataDir: string): Promise<Set<string>> {
  const ids = new Set<string>()
  for (const path of lakeFiles(dataDir).filter(file => /\/(hot|segments\/events)\//.test(file))) {
    const bytes = readFileSync(path)
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
    for (const row of await parquetReadObjects({ file, compressors })) ids.add(row.event_id)
  }
  return ids
}

/** Returns the absolute paths of all Parquet files below the data folder. */
export function lakeFiles(dataDir: string): string[] {
  const lake = join(dataDir, 'lake')
  return readdirSync(lake, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.parquet'))
    .map(entry => join(entry.parentPath, entry.name))
}
