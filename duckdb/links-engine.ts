import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { slices } from '#core/async/slices'
import { LINK_ROW_GROUP, toLinkRow } from '#core/identity/links/link-rows'
import type { LinksEngine, NextLinks, RemovedIds } from '#core/identity/links/links-engine'
import { shortKey } from '#core/lake/consume/id-keys'
import { tables } from '#schemas/columns'
import { readFiles } from './compaction-sql.ts'
import {
  countRows,
  type ScratchDatabase,
  type ScratchSettings,
  withScratchDatabase,
} from './scratch-database.ts'
import { text } from './tables.ts'

export type LinksEngineSettings = Pick<ScratchSettings, 'lake' | 'tempDir' | 'log'> & Partial<ScratchSettings>

const COLUMNS = tables.links.columns.map(({ name }) => name).join(', ')
/** What hyparquet can read, too: a file that has lost most of its rows is read into memory. */
const FORMAT = `FORMAT parquet, COMPRESSION snappy, WRITE_BLOOM_FILTER false, ROW_GROUP_SIZE ${LINK_ROW_GROUP}`
/** Rows of an INSERT. */
const INSERTED_ROWS = 1_000

/** Links files of any size on DuckDB: what does not fit into its memory goes to the disk. */
export function createLinksEngine({
  memoryMb = 128,
  threads = 1,
  ...given
}: LinksEngineSettings): LinksEngine {
  const settings: ScratchSettings = { ...given, memoryMb, threads }

  return {
    merge: (keys, target) =>
      withScratchDatabase(settings, async database => {
        const [, ...files] = await database.fetch('links', keys)
        let merged = files.at(-1) ?? ''
        for (const [i, older] of files.slice(0, -1).toReversed().entries()) {
          const output = join(database.folder, `merged-${i}.parquet`)
          await database.run(`COPY (${composed(older, merged)}) TO ${text(output)} (${FORMAT})`)
          merged = output
        }
        await settings.lake.put(target, await readFile(merged))
        return countRows(database, `FROM ${readFiles([merged])}`)
      }),

    next: job =>
      withScratchDatabase(settings, async database => {
        const files = await database.fetch('links', job.keys)
        const known = job.known === null ? [] : await database.fetch('links', job.known.keys)
        return (await database.rows(nextLinks(job, files, known))).map(toLinkRow)
      }),

    idsOf: (keys, scope, finals) =>
      withScratchDatabase(settings, async database => {
        const [, ...files] = await database.fetch('links', keys)
        await database.run('CREATE TABLE ids (id_key BIGINT, id VARCHAR)')
        for (const some of slices(finals, INSERTED_ROWS))
          await database.run(`INSERT INTO ids VALUES ${some.map(id => `(${shortKey(id)}, NULL)`).join(', ')}`)
        for (const file of files.toReversed()) {
          await database.run(`INSERT INTO ids SELECT previous_key, previous_id FROM ${readFiles([file])}
            WHERE scope = ${text(scope)} AND linked_key IN (SELECT id_key FROM ids)`)
        }
        const rows = await database.rows('SELECT DISTINCT id FROM ids WHERE id IS NOT NULL')
        return [...new Set([...finals, ...rows.map(({ id }) => String(id))])]
      }),

    remove: (key, target, persons, scopes) =>
      withScratchDatabase(settings, async database => {
        const files = await database.fetch('links', [key])
        await loadRemoved(database, persons)
        const dropped = scopes.length === 0 ? 'false' : `scope IN (${scopes.map(text).join(', ')})`
        const left = `SELECT ${COLUMNS} FROM ${readFiles(files)} AS link WHERE NOT (${dropped})
          AND NOT EXISTS (SELECT 1 FROM removed WHERE removed.scope = link.scope AND removed.id_key = previous_key AND linked_at <= until_ms)
          AND NOT EXISTS (SELECT 1 FROM removed WHERE removed.scope = link.scope AND removed.id_key = linked_key AND linked_at <= until_ms)`
        const before = await countRows(database, `FROM ${readFiles(files)}`)
        const rows = await countRows(database, left)
        if (rows === before) return null
        if (rows > 0) {
          const output = join(database.folder, 'left.parquet')
          await database.run(`COPY (${left} ORDER BY scope, previous_key) TO ${text(output)} (${FORMAT})`)
          await settings.lake.put(target, await readFile(output))
        }
        return { removed: before - rows, left: rows }
      }),
  }
}

/** The rows of both files, all with their final ids: those of the newer file move what older ones lead to. */
function composed(older: string, newer: string): string {
  return `SELECT o.scope, o.previous_id, o.user_id, coalesce(n.linked_id, o.linked_id) AS linked_id, o.linked_at, o.linked_seq,
      o.previous_key, coalesce(n.linked_key, o.linked_key) AS linked_key
    FROM ${readFiles([older])} AS o
    LEFT JOIN ${readFiles([newer])} AS n
      ON n.scope = o.scope AND n.previous_key = o.linked_key AND n.previous_id = o.linked_id
    ANTI JOIN ${readFiles([newer])} AS again
      ON again.scope = o.scope AND again.previous_key = o.previous_key AND again.previous_id = o.previous_id
    UNION ALL SELECT ${COLUMNS} FROM ${readFiles([newer])} ORDER BY scope, previous_key`
}

function nextLinks(
  { scopes, after, limit, known }: NextLinks,
  files: readonly string[],
  knownFiles: readonly string[],
) {
  const conditions = [`scope IN (${scopes.map(text).join(', ')})`]
  if (after !== null) {
    conditions.push(`(linked_at, linked_seq) > (${after.at}, ${after.seq})`)
  }
  if (known !== null) {
    conditions.push(`NOT EXISTS (SELECT 1 FROM ${readFiles(knownFiles)} AS known
      WHERE known.scope = ${text(known.scope)} AND known.previous_key = link.previous_key)`)
  }
  return `SELECT ${COLUMNS} FROM ${readFiles(files)} AS link WHERE ${conditions.join(' AND ')}
    ORDER BY linked_at, linked_seq, previous_id, user_id LIMIT ${limit}`
}

async function loadRemoved(database: ScratchDatabase, persons: readonly RemovedIds[]): Promise<void> {
  await database.run('CREATE TABLE removed (scope VARCHAR, id_key BIGINT, until_ms BIGINT)')
  for (const { scope, ids, until } of persons) {
    const values = [...ids].map(id => `(${text(scope)}, ${shortKey(id)}, ${until})`)
    for (const some of slices(values, INSERTED_ROWS))
      await database.run(`INSERT INTO removed VALUES ${some.join(', ')}`)
  }
}
