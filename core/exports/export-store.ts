import type { EntityItem } from 'electrodb'
import type { Now } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import { EXPORT_LIMITS } from '#schemas/exports'
import { exportEntity } from './entities.ts'
import { type Export, type ExportKey, isExportId } from './export.ts'

type Item = EntityItem<ReturnType<typeof exportEntity>>

/** What a run changes. */
type Changes = Partial<
  Pick<
    Export,
    'status' | 'finished_at' | 'reason' | 'leased_until' | 'attempts' | 'next' | 'files' | 'counted' | 'days'
  >
>

/** Keeps exports in the state table. All functions throw UNAVAILABLE when it cannot be reached. */
export function createExportStore({ clock, ...state }: StateTable & { clock: Now }) {
  const items = exportEntity(state)

  async function put(made: Export): Promise<void> {
    const { next, files, counted, days, datasets, ...plain } = made
    const packed = packedFields({ next, files, counted, days })
    const expires_at = Math.ceil(expiryOf(made) / 1_000)
    const item = {
      ...plain,
      ...packed,
      datasets: datasets.join(','),
      files: packed.files ?? '[]',
      expires_at,
    }
    await orUnavailable(items.put(item).go())
  }

  /** Null for an export that does not exist or has expired. */
  async function find(key: ExportKey): Promise<Export | null> {
    if (!isExportId(key.id)) return null
    const { data } = await orUnavailable(items.get(keyOf(key)).go({ consistent: true }))
    return data === null ? null : living(data)
  }

  /** The exports of a project that have not expired, newest first. */
  async function list(account_id: string, projectId: string): Promise<Export[]> {
    const query = items.query.main({ account_id })
    const { data } = await orUnavailable(query.go({ consistent: true, pages: 'all' }))
    return data
      .flatMap(item => living(item) ?? [])
      .filter(({ project_id }) => project_id === projectId)
      .toSorted((a, b) => b.created_at - a.created_at)
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
    return (await conditionHeld(change.go())) ? { ...before, ...changes, run } : null
  }

  /** Returns false when another run has taken over, or the export was deleted. */
  function change(made: Export, changes: Changes): Promise<boolean> {
    const { next, files, counted, days, ...plain } = changes
    const packed = packedFields({ next, files, counted, days })
    const patch = items
      .patch(keyOf(made))
      .set({ ...plain, ...packed })
      .where(({ run }, { eq, notExists }) => (made.run === undefined ? notExists(run) : eq(run, made.run)))
    return conditionHeld(patch.go())
  }

  async function remove(key: ExportKey): Promise<void> {
    await orUnavailable(items.delete(keyOf(key)).go())
  }

  function living({ expires_at, next, files, counted, days, datasets, ...plain }: Item): Export | null {
    if (expires_at * 1_000 <= clock.now()) return null
    return {
      ...plain,
      datasets: datasets.split(',') as Export['datasets'],
      files: JSON.parse(files),
      counted: parsed(counted),
      days: parsed(days),
      ...(next !== undefined && { next: JSON.parse(next) }),
    }
  }

  return { put, find, list, begin, change, remove }
}

/** When the files of an export are deleted, Unix ms. */
export function expiryOf({ created_at }: Pick<Export, 'created_at'>): number {
  return created_at + EXPORT_LIMITS.kept_days * DAY_MS
}

function keyOf({ account_id, id }: ExportKey): ExportKey {
  return { account_id, id }
}

type Packed = 'next' | 'files' | 'counted' | 'days'

function packedFields(fields: Partial<Pick<Export, Packed>>): Partial<Record<Packed, string>> {
  const given = Object.entries(fields).filter(([, value]) => value != null)
  return Object.fromEntries(given.map(([name, value]) => [name, JSON.stringify(value)]))
}

function parsed(json: string | undefined) {
  return json === undefined ? null : JSON.parse(json)
}
