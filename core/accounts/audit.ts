import { createGatherer } from '#core/async/gatherer'
import { slices } from '#core/async/slices'
import type { Clock, Log } from '#core/ports'
import { randomSecret } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { withoutSecrets } from '#core/text/hide-secrets'
import { DAY_MS, utcDate } from '#core/time'
import type { Credential } from './account.ts'

/** Who did what, in an account. Nothing about visitors or contents is in it. */
export type AuditEvent = {
  account_id: string
  /** `label` is the name that the user gave the client. */
  actor: { type: Credential['kind'] | 'system'; id: string; label: string | null }
  action: string
  /** Method and path of the row, never the address. */
  route: string
  project: string | null
  status: number
}

export type AuditEntry = Omit<AuditEvent, 'account_id'> & { at: number }

export type AuditLogOptions = StateTable & {
  clock: Pick<Clock, 'now' | 'deadline'>
  log: Log
  /** How long the entries of reports may wait for others, ms. 0: they are written at once. */
  waitMs?: number
}

/** How long an entry is kept, days. */
export const AUDIT_DAYS = 30
const CURSOR = /^\d{13}-[0-9a-f]{16}$/
/** One item has at most so many entries, because an item of the table is bounded. */
const ENTRIES_OF_ITEM = 200
const MAX_WAITING = 10_000

/** An entry with its id, which orders the entries of an account by time. */
type StoredEntry = AuditEntry & { id: string }
type AccountEntry = StoredEntry & { account_id: string }

/**
 * The audit log of an account. An item has one entry, or the entries of reports that a process has gathered
 * in one second, under the id of the newest of them. Entries that cannot be written are logged, and the
 * request goes on: it has happened.
 */
export function createAuditLog({ clock, log, waitMs = 0, ...state }: AuditLogOptions) {
  const items = auditEntity(state)
  const reports = createGatherer<AccountEntry>({
    write: writeReports,
    waitMs,
    maxEntries: MAX_WAITING,
    clock,
  })

  /** Writes an entry at once: a change, or an event of a key, a session or an approval. */
  function record(event: AuditEvent): Promise<void> {
    return write([entryOf(event)])
  }

  /** Writes the entry of a report together with others. A killed process loses those of the last `waitMs`. */
  function recordReport(event: AuditEvent): Promise<void> {
    return reports.add(entryOf(event))
  }

  function entryOf(event: AuditEvent): AccountEntry {
    const at = clock.now()
    return { id: `${digits(at)}-${randomSecret().slice(0, 16)}`, at, ...withoutSecrets(event) }
  }

  async function writeReports(entries: readonly AccountEntry[]): Promise<void> {
    for (const group of Map.groupBy(entries, each => `${each.account_id} ${secondOf(each.at)}`).values()) {
      for (const slice of slices(group, ENTRIES_OF_ITEM)) await write(slice)
    }
  }

  /** `entries` are of one account and second. */
  async function write(entries: readonly AccountEntry[]): Promise<void> {
    const sorted = entries.toSorted(newestFirst)
    const { account_id, id, at } = sorted[0] as AccountEntry
    const item = {
      account_id,
      day: utcDate(at),
      id,
      entries: JSON.stringify(sorted.map(({ account_id: _, ...entry }) => entry)),
      expires_at: Math.ceil(at / 1_000) + (AUDIT_DAYS + 1) * 86_400,
    }
    await orUnavailable(items.put(item).go()).catch(error =>
      log('AUDIT_NOT_WRITTEN', { entries: entries.length, error: String(error) }),
    )
  }

  /**
   * The newest entries before the cursor, and the cursor of the next page; null at the end. Returns null for
   * a cursor that is none of ours.
   */
  async function list(
    accountId: string,
    limit: number,
    before?: string,
  ): Promise<{ entries: AuditEntry[]; next_before: string | null } | null> {
    if (before !== undefined && !CURSOR.test(before)) return null
    await reports.flush()
    const now = clock.now()
    const oldest = now - AUDIT_DAYS * DAY_MS
    const newest = before === undefined ? now : Math.min(now, Number(before.slice(0, 13)))
    const found: StoredEntry[] = []
    for (let at = newest; utcDate(at) >= utcDate(oldest) && found.length <= limit; at -= DAY_MS) {
      for (const entry of await entriesOfDay(accountId, utcDate(at), limit + 1 - found.length, before)) {
        if (entry.at > oldest) found.push(entry)
      }
    }
    const shown = found.slice(0, limit)
    return {
      entries: shown.map(({ id: _, ...entry }) => entry),
      next_before: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    }
  }

  /** The newest entries of a day before the cursor, newest first: at least `limit`, or all. */
  async function entriesOfDay(
    accountId: string,
    day: string,
    limit: number,
    before?: string,
  ): Promise<StoredEntry[]> {
    const found: StoredEntry[] = []
    // The item of the cursor's entry may have a later id, but not one of a later second.
    let next = before && digits((secondOf(Number(before.slice(0, 13))) + 1) * 1_000)
    for (;;) {
      const query = items.query.main({ account_id: accountId, day })
      const page = next === undefined ? query : query.lt({ id: next })
      const { data } = await orUnavailable(page.go({ order: 'desc', limit, consistent: true }))
      const entries = data.flatMap(item => JSON.parse(item.entries) as StoredEntry[])
      found.push(...entries.filter(({ id }) => before === undefined || id < before))
      found.sort(newestFirst)
      const last = data.at(-1)?.id
      if (last === undefined) return found
      // All entries of the items that follow are older than `last`.
      const complete = found.filter(({ id }) => id >= last)
      if (complete.length >= limit) return complete
      next = last
    }
  }

  return { record, recordReport, list, flush: reports.flush }
}

export type AuditLog = ReturnType<typeof createAuditLog>

/** Texts of equal length compare as their numbers. */
function digits(ms: number): string {
  return String(ms).padStart(13, '0')
}

/** Unix second. */
function secondOf(ms: number): number {
  return Math.floor(ms / 1_000)
}

function newestFirst(a: StoredEntry, b: StoredEntry): number {
  return a.id < b.id ? 1 : -1
}

function auditEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'audit', version: '2' },
      attributes: {
        account_id: { type: 'string', required: true },
        day: { type: 'string', required: true },
        id: { type: 'string', required: true },
        /** StoredEntry[] as JSON, newest first. */
        entries: { type: 'string', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id', 'day'], sk: ['id'] }),
    },
    { client, table },
  )
}
