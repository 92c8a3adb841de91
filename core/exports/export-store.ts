import { isDeepStrictEqual } from 'node:util'
import type { EntityItem } from 'electrodb'
import type { Now } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { EXPORT_LIMITS } from '#schemas/exports'
import { exportEntity, exportSummaryEntity } from './entities.ts'
import { type Export, type ExportKey, exportIdStart, isExportId } from './export.ts'
import { packFields, unpackFields } from './packed.ts'
import { type ExportSummary, summaryOf } from './summary.ts'

type Item = EntityItem<ReturnType<typeof exportEntity>>
type SummaryItem = EntityItem<ReturnType<typeof exportSummaryEntity>>

/** What a run changes. */
export type ExportChanges = Partial<
  Pick<
    Export,
    'status' | 'finished_at' | 'reason' | 'leased_until' | 'attempts' | 'next' | 'files' | 'counted' | 'days'
  >
>

/** A part of a list, newest first. `before`: an id, and the part has those that began earlier. */
export type ListPage = { limit: number; before?: string | undefined }

/** Greater than each hex digit. */
const AFTER_HEX = 'g'

/** Keeps exports in the state table. All functions throw UNAVAILABLE when it cannot be reached. */
export function createExportStore({ clock, ...state }: StateTable & { clock: Now }) {
  const items = exportEntity(state)
  const summaries = exportSummaryEntity(state)

  async function put(made: Export): Promise<void> {
    const { next, files, counted, days, datasets, ...plain } = made
    const packed = packFields({ next, files, counted, days })
    const item = {
      ...plain,
      ...packed,
      datasets: datasets.join(','),
      files: packed.files ?? '[]',
      expires_at: expirySeconds(made),
    }
    const summary = { ...packedSummary(made), expires_at: expirySeconds(made) }
    // First the summary: maintenance deletes the files of an export that has none.
    await orUnavailable(summaries.put(summary).go())
    await orUnavailable(items.put(item).go())
  }

  /** Null for an export that does not exist or has expired. */
  async function find(key: ExportKey): Promise<Export | null> {
    if (!isExportId(key.id)) return null
    const { data } = await orUnavailable(items.get(keyOf(key)).go({ consistent: true }))
    return data === null || isExpired(data) ? null : unpacked(data)
  }

  /** What a list shows of an export; null as by `find`. It may be behind until the next call of `show`. */
  async function findSummary(key: ExportKey): Promise<ExportSummary | null> {
    if (!isExportId(key.id)) return null
    const { data } = await orUnavailable(summaries.get(keyOf(key)).go({ consistent: true }))
    return data === null || isExpired(data) ? null : unpackedSummary(data)
  }

  /** Exports of a project that have not expired. `next_before`: for the next page; null: there is none. */
  async function list(
    { account_id, id: projectId }: { account_id: string; id: string },
    { limit, before }: ListPage,
  ): Promise<{ exports: ExportSummary[]; next_before: string | null }> {
    const first = exportIdStart(projectId)
    const last = first + AFTER_HEX
    const end = before !== undefined && before < last ? before : last
    if (end <= first) return { exports: [], next_before: null }
    const query = summaries.query.main({ account_id }).between({ id: first }, { id: end })
    // One for `before` itself, and one to see whether there are more.
    const options = { order: 'desc', limit: limit + 2, consistent: true } as const
    const { data } = await orUnavailable(query.go(options))
    const found = data.filter(item => item.id !== before && item.project_id === projectId && !isExpired(item))
    const shown = found.slice(0, limit)
    const next_before = found.length > limit ? (shown.at(-1)?.id ?? null) : null
    return { exports: shown.map(unpackedSummary), next_before }
  }

  /**
   * Makes a run the only one that may write, until `leasedUntil`, Unix ms. Null when another one came first.
   */
  async function begin(before: Export, run: string, leasedUntil: number): Promise<Export | null> {
    const changes = {
      status: 'running' as const,
      leased_until: leasedUntil,
      attempts: before.attempts + 1,
    }
    const change = items
      .patch(keyOf(before))
      .set({ ...changes, run })
      .where((attributes, { eq, notExists }) =>
        before.run === undefined ? notExists(attributes.run) : eq(attributes.run, before.run),
      )
    if (!(await conditionHeld(change.go()))) return null
    const begun = { ...before, ...changes, run }
    await show(begun)
    return begun
  }

  /** Null when another run has taken over, or the export was deleted. */
  async function change(made: Export, changes: ExportChanges): Promise<Export | null> {
    const { next, files, counted, days, ...plain } = changes
    const packed = packFields({ next, files, counted, days })
    const patch = items
      .patch(keyOf(made))
      .set({ ...plain, ...packed })
      .where(({ run }, { eq, notExists }) => (made.run === undefined ? notExists(run) : eq(run, made.run)))
    if (!(await conditionHeld(patch.go()))) return null
    const changed = { ...made, ...changes }
    if (!isDeepStrictEqual(summaryOf(changed), summaryOf(made))) await show(changed)
    return changed
  }

  /** Makes the summary of an export as the export is. */
  async function show(made: Export): Promise<void> {
    const { account_id: _, id: __, ...fields } = packedSummary(made)
    // A patch, so that an export that was deleted meanwhile gets no summary again.
    await conditionHeld(summaries.patch(keyOf(made)).set(fields).go())
  }

  async function remove(key: ExportKey): Promise<void> {
    await orUnavailable(items.delete(keyOf(key)).go())
    await orUnavailable(summaries.delete(keyOf(key)).go())
  }

  /** Whether its time is over. The table deletes such items some days later. */
  function isExpired({ expires_at }: Pick<Item, 'expires_at'>): boolean {
    return expires_at * 1_000 <= clock.now()
  }

  return { put, find, findSummary, list, begin, change, show, remove }
}

/** When the files of an export are deleted, Unix ms. */
export function expiryOf({ created_at }: Pick<Export, 'created_at'>): number {
  return created_at + EXPORT_LIMITS.kept_days * DAY_MS
}

function expirySeconds(made: Export): number {
  return Math.ceil(expiryOf(made) / 1_000)
}

function keyOf({ account_id, id }: ExportKey): ExportKey {
  return { account_id, id }
}

function unpacked({ expires_at: _, next, files, counted, days, datasets, ...plain }: Item): Export {
  return { ...plain, datasets: namesOf(datasets), ...unpackFields({ next, files, counted, days }) }
}

function packedSummary(made: Export) {
  const summary = summaryOf(made)
  return { ...summary, datasets: summary.datasets.join(',') }
}

function unpackedSummary({ expires_at: _, datasets, ...plain }: SummaryItem): ExportSummary {
  return { ...plain, datasets: namesOf(datasets) }
}

function namesOf(datasets: string): Export['datasets'] {
  return datasets.split(',') as Export['datasets']
}
