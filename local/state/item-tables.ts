import type { DatabaseSync } from 'node:sqlite'

/**
 * The items are in two tables, each item in one of them. SQLite leaves copies of rows in the pages of a table
 * when it moves them between pages, also with secure_delete. So bytes of a deleted item are certainly gone
 * only when the pages of its table are: a scrub moves all items to the other table in small steps, and
 * secure_delete overwrites each page that it empties. Writes put items in the table that the scrub fills.
 */
export const ITEM_TABLES = ['items_a', 'items_b'] as const
export type ItemTable = (typeof ITEM_TABLES)[number]

/** What one step moves: a few ms, in which writes of other threads wait. */
const STEP_ITEMS = 200
const STEP_BYTES = 256 * 1024
/** The file becomes smaller by so many unused pages in one step. */
const STEP_PAGES = 64
/** So many unused pages stay in the file, because new items will need them: 4 MB. */
const KEPT_PAGES = 1_000

const COLUMNS = 'pk, sk, item, expires_at'
/** The value of `PRAGMA auto_vacuum` with which SQLite can give back pages in steps. */
const INCREMENTAL = 2

/**
 * Creates the tables, the view `items` of both, and the trigger that writes go through. It takes over a file
 * that has one table `items`, as all had until 2026-11-29: that becomes the first one. A version of those
 * days refuses such a file, because it finds a view in place of its table.
 */
export function createItemTables(database: DatabaseSync): void {
  const found = database.prepare(`SELECT type FROM sqlite_schema WHERE name = 'items'`).get()?.type
  if (found === 'view') return
  database.exec(`
    BEGIN IMMEDIATE;
    ${found === 'table' ? 'ALTER TABLE items RENAME TO items_a; DROP INDEX IF EXISTS expiring;' : ''}
    ${ITEM_TABLES.map(tableText).join('')}
    CREATE VIEW items AS ${ITEM_TABLES.map(table => `SELECT ${COLUMNS} FROM ${table}`).join(' UNION ALL ')};
    ${triggerText('items_a')}
    COMMIT;
  `)
}

function tableText(table: ItemTable): string {
  return `
    CREATE TABLE IF NOT EXISTS ${table} (
      pk TEXT NOT NULL,
      sk TEXT NOT NULL,
      item TEXT NOT NULL,
      expires_at REAL,
      PRIMARY KEY (pk, sk)
    ) STRICT;
    CREATE INDEX expiring_${table} ON ${table} (expires_at) WHERE expires_at IS NOT NULL;`
}

/** All threads write by `INSERT INTO items`, so they follow a change of the trigger with their next write. */
function triggerText(filled: ItemTable): string {
  return `
    CREATE TRIGGER fill_${filled} INSTEAD OF INSERT ON items BEGIN
      DELETE FROM ${otherTable(filled)} WHERE pk = new.pk AND sk = new.sk;
      INSERT INTO ${filled} (${COLUMNS}) VALUES (new.pk, new.sk, new.item, new.expires_at)
        ON CONFLICT DO UPDATE SET item = excluded.item, expires_at = excluded.expires_at;
    END;`
}

function otherTable(table: ItemTable): ItemTable {
  return table === 'items_a' ? 'items_b' : 'items_a'
}

/**
 * Whether the file can be made smaller in steps, and has no bytes of deleted items from a version that did
 * not overwrite them.
 */
export function isPrepared(database: DatabaseSync): boolean {
  return numberOf(database, 'auto_vacuum') === INCREMENTAL
}

/** Writes the whole file anew: seconds for a large one, so a start does it, once for a file of before. */
export function prepareFile(database: DatabaseSync): void {
  database.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}; VACUUM`)
}

/** The steps of a scrub. Each is one transaction of the caller, which pauses between them. */
export function scrubSteps(database: DatabaseSync) {
  function filledTable(): ItemTable {
    const name = String(database.prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`).get()?.name)
    return name === 'fill_items_b' ? 'items_b' : 'items_a'
  }

  return {
    /** From now on writes go to the other table. Call it only when that one is empty. */
    turn(): void {
      const filled = filledTable()
      database.exec(`DROP TRIGGER fill_${filled}; ${triggerText(otherTable(filled))}`)
    },

    /** Moves some items to the table that is filled. Returns false when none is left. */
    move(): boolean {
      const to = filledTable()
      const from = otherTable(to)
      const next = database.prepare(
        `SELECT pk, sk, octet_length(item) AS bytes FROM ${from} ORDER BY pk, sk LIMIT ${STEP_ITEMS}`,
      )
      let last: { pk: string; sk: string } | null = null
      let bytes = 0
      for (const row of next.iterate()) {
        last = { pk: String(row.pk), sk: String(row.sk) }
        bytes += Number(row.bytes)
        if (bytes >= STEP_BYTES) break
      }
      if (last === null) return false
      const range = `FROM ${from} WHERE (pk, sk) <= (?, ?)`
      const insert = `INSERT INTO ${to} (${COLUMNS}) SELECT ${COLUMNS} ${range} ORDER BY pk, sk`
      database.prepare(insert).run(last.pk, last.sk)
      database.prepare(`DELETE ${range}`).run(last.pk, last.sk)
      return true
    },

    /** Gives some unused pages back to the system. Returns false when few are left. */
    shrink(): boolean {
      const unused = numberOf(database, 'freelist_count') - KEPT_PAGES
      if (unused <= 0) return false
      database.exec(`PRAGMA incremental_vacuum(${Math.min(unused, STEP_PAGES)})`)
      return true
    },
  }
}

function numberOf(database: DatabaseSync, pragma: string): number {
  return Number(database.prepare(`PRAGMA ${pragma}`).get()?.[pragma])
}
