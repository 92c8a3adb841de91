import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExportFolder, ExportWriter, WrittenFile } from '#core/exports/export-writer'
import { COUNT_DAYS, EVENTS_OF_LINES, FROM_EVENTS } from './event-tables.ts'
import { type ScratchDatabase, type ScratchSettings, withScratchDatabase } from './scratch-database.ts'
import { text } from './tables.ts'

/** Writes the files of exports. `tempDir`: each run has a folder in there. */
export function createExportWriter(settings: ScratchSettings): ExportWriter {
  return {
    withFolder: work =>
      withScratchDatabase(settings, async database => {
        await database.run("SET TimeZone = 'UTC'")
        return work(await openFolder(database))
      }),
  }
}

async function openFolder(database: ScratchDatabase): Promise<ExportFolder> {
  const { connection, folder } = database
  const [lines, written, kept] = ['lines.jsonl', 'written.parquet', 'kept'].map(name =>
    join(folder, name),
  ) as [string, string, string]
  const events: string[] = []
  let added = { rows: 0, bytes: 0 }
  let hasView = false
  await mkdir(kept)

  /** Makes the file of a table or view. */
  async function writeFileOf(select: string): Promise<Uint8Array> {
    await database.run(`COPY (${select}) TO ${text(written)} (FORMAT parquet, COMPRESSION zstd)`)
    const bytes = await readFile(written)
    await rm(written)
    return bytes
  }

  async function takeEvents(): Promise<WrittenFile> {
    await connection.run(`CREATE OR REPLACE TABLE taken AS ${EVENTS_OF_LINES}`, [lines])
    const bytes = await writeFileOf('SELECT * FROM taken')
    await database.run('DROP TABLE taken')
    const { rows } = added
    added = { rows: 0, bytes: 0 }
    await rm(lines)
    return { rows, bytes }
  }

  /** The view `events` over the kept files; false if there are none. */
  async function viewEvents(): Promise<boolean> {
    if (hasView || events.length === 0) return hasView
    const files = events.map(text).join(', ')
    await database.run(`CREATE VIEW events AS SELECT * FROM read_parquet([${files}])`)
    hasView = true
    return true
  }

  return {
    async add(rows) {
      const json = rows.map(row => `${JSON.stringify(row)}\n`).join('')
      await appendFile(lines, json, { mode: 0o600 })
      added = { rows: added.rows + rows.length, bytes: added.bytes + json.length }
    },
    added: () => added,
    takeEvents,
    async keepEvents(name, bytes) {
      const file = join(kept, name)
      await writeFile(file, bytes, { mode: 0o600 })
      events.push(file)
    },
    async countDays() {
      if (!(await viewEvents())) return {}
      const rows = await database.rows(COUNT_DAYS)
      return Object.fromEntries(rows.map(({ day, events: count }) => [String(day), Number(count)]))
    },
    async *filesOf(dataset, fileRows) {
      if (!(await viewEvents())) return
      await database.run(`CREATE OR REPLACE TABLE whole AS ${FROM_EVENTS[dataset]}`)
      const [counted] = await database.rows('SELECT count(*) AS rows FROM whole')
      const all = Number(counted?.rows)
      for (let first = 0; first < all; first += fileRows) {
        const rows = Math.min(fileRows, all - first)
        // The rows of a table keep their order (preserve_insertion_order).
        const bytes = await writeFileOf(`SELECT * FROM whole LIMIT ${rows} OFFSET ${first}`)
        yield { rows, bytes }
      }
      await database.run('DROP TABLE whole')
    },
  }
}
