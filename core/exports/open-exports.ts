import { unavailable } from '#core/errors'
import type { Now } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import type { Export, ExportKey } from './export.ts'

/** Exports that have not ended, of all projects. Each job of theirs keeps a worker for minutes. */
export const MAX_OPEN_EXPORTS = 20
/** An export that has not ended after this time never will, ms. */
const OPEN_MS = 86_400_000
/** How often a change begins again because another one came first. Each change is of one export. */
const MAX_TRIES = 40

const KEY = { pk: 'open-exports', sk: 'all' } as const

/** An export that has not ended. `begun_at`: Unix ms. */
export type OpenExport = ExportKey & { project_id: string; begun_at: number }

/** Why an export cannot begin now: another one of its project has not ended, or as many as may run. */
export type NoPlace = 'export_running' | 'exports_running'

/**
 * The exports that have not ended, so that a project has one at a time, all together have MAX_OPEN_EXPORTS,
 * and maintenance finds those whose run was killed. They are one item, at most 3 KB, which each change
 * replaces only as it was read: so the bounds hold however many requests come at once.
 */
export function createOpenExports({ client, table, clock }: StateTable & { clock: Now }) {
  /** Takes a place for an export. Returns why there is none, or null. */
  function take({ account_id, id, project_id }: Export): Promise<NoPlace | null> {
    return change(entries => {
      // The answer to an earlier write of this request was lost.
      if (entries.some(entry => entry.id === id)) return [entries, null]
      if (entries.some(entry => entry.project_id === project_id)) return [entries, 'export_running']
      if (entries.length >= MAX_OPEN_EXPORTS) return [entries, 'exports_running']
      return [[...entries, { account_id, id, project_id, begun_at: clock.now() }], null]
    })
  }

  /** Gives the place of an export back, if it has one. */
  function release({ id }: Pick<Export, 'id'>): Promise<void> {
    return change(entries => [entries.filter(entry => entry.id !== id), undefined])
  }

  async function list(): Promise<OpenExport[]> {
    return openOf(await readText())
  }

  async function change<T>(next: (entries: OpenExport[]) => [OpenExport[], T]): Promise<T> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const text = await readText()
      const before = openOf(text)
      const [entries, result] = next(before)
      if (entries.length === before.length || (await replace(text, entries))) return result
    }
    throw unavailable('Many exports begin and end now. Send the same request again in a second.', 1)
  }

  function replace(text: string | undefined, entries: readonly OpenExport[]): Promise<boolean> {
    const put = client.put({
      TableName: table,
      Item: {
        ...{ ...KEY, entries: JSON.stringify(entries) },
        expires_at: Math.ceil((clock.now() + OPEN_MS) / 1_000),
      },
      ConditionExpression: 'attribute_not_exists(#entries) OR #entries = :read',
      ExpressionAttributeNames: { '#entries': 'entries' },
      ExpressionAttributeValues: { ':read': text ?? '' },
    })
    return conditionHeld(put)
  }

  async function readText(): Promise<string | undefined> {
    const item = await readItem({ client, table }, KEY)
    return item === undefined ? undefined : String(item.entries)
  }

  function openOf(text = '[]'): OpenExport[] {
    const entries: OpenExport[] = JSON.parse(text)
    return entries.filter(({ begun_at }) => clock.now() < begun_at + OPEN_MS)
  }

  return { take, release, list }
}
