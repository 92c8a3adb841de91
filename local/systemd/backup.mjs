import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'

/**
 * Copies the data folder of a running service: `node backup.mjs DATA_DIR BACKUPS [KEEP]` writes BACKUPS/<time>, and keeps the newest KEEP copies
 * (default 7). The order matters (docs/one-machine.md, Backup and restore): the state first and the log last, so that the log has everything
 * that the other two miss. Exits with 1 when the copy is not whole.
 */
const [dataDir, backups, keep = '7'] = process.argv.slice(2)
if (dataDir === undefined || backups === undefined || !/^[1-9]\d{0,3}$/.test(keep)) {
  console.error('Use: backup.mjs DATA_DIR BACKUPS [KEEP]')
  process.exit(1)
}

// SQLite would create what is not there.
if (!existsSync(join(dataDir, 'state.db'))) {
  console.error(`${dataDir} is no data folder of Footfall: it has no state.db. Name the folder of DATA_DIR.`)
  process.exit(1)
}

/** Files of SQLite, in this order with the lake between them. */
const STATE = 'state.db'
const LOGS = ['log.db', 'log-busy/log.db']
/** Keys come too: without them a copy has another API key and finds no e-mail address. */
const FILES = ['credentials.json', 'api-key', 'email-key', 'feedback.jsonl', 'seeding']
/** All pages in one step: between two steps a write of the service would make SQLite begin again. */
const PAGES = 2 ** 30
const UNFINISHED = '.unfinished'

process.umask(0o077)
mkdirSync(backups, { recursive: true })
for (const name of readdirSync(backups).filter(each => each.endsWith(UNFINISHED)))
  rmSync(join(backups, name), { recursive: true })
const name = new Date().toISOString().replaceAll(':', '')
const copy = join(backups, name + UNFINISHED)
mkdirSync(copy)
await copyDatabase(STATE)
for (const part of ['lake', ...FILES]) copyPart(join(dataDir, part), join(copy, part))
for (const log of LOGS) if (existsSync(join(dataDir, log))) await copyDatabase(log)
renameSync(copy, join(backups, name))
const copies = readdirSync(backups).filter(each => /^\d{4}-\d\d-\d\dT\d{6}\.\d{3}Z$/.test(each))
for (const old of copies.toSorted().slice(0, -Number(keep))) rmSync(join(backups, old), { recursive: true })
console.log(join(backups, name))

async function copyDatabase(file) {
  const source = new DatabaseSync(join(dataDir, file))
  mkdirSync(dirname(join(copy, file)), { recursive: true })
  await backup(source, join(copy, file), { rate: PAGES })
  source.close()
}

/** Compaction deletes files meanwhile: what is gone has its rows in another file, or in the log. */
function copyPart(from, to) {
  try {
    const entries = readdirSync(from, { withFileTypes: true })
    mkdirSync(to)
    for (const { name } of entries) copyPart(join(from, name), join(to, name))
  } catch (error) {
    if (error.code === 'ENOENT') return
    if (error.code !== 'ENOTDIR') throw error
    try {
      cpSync(from, to)
    } catch (reason) {
      if (existsSync(from)) throw reason
    }
  }
}
