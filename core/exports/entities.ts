import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'
import { EXPORT_STATUSES } from '#schemas/exports'

/** What an export and its summary both have. `datasets` are names with commas between them. */
const SHARED = {
  account_id: { type: 'string', required: true },
  id: { type: 'string', required: true },
  project_id: { type: 'string', required: true },
  status: { type: EXPORT_STATUSES, required: true },
  datasets: { type: 'string', required: true },
  created_at: { type: 'number', required: true },
  finished_at: { type: 'number' },
  reason: { type: 'string' },
  // The table's TTL attribute, Unix seconds.
  expires_at: { type: 'number', required: true },
} as const

/** Both lie in the partition of the account, so that they go with it. */
const indexes = () => primaryIndex({ pk: ['account_id'], sk: ['id'] })

/** What grows are texts (packed.ts): at most 1,000 files and the days of fifty years, 335 KB. */
export function exportEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'export', version: '2' },
      attributes: {
        ...SHARED,
        from: { type: 'number', required: true },
        to: { type: 'number', required: true },
        run: { type: 'string' },
        leased_until: { type: 'number', required: true },
        attempts: { type: 'number', required: true },
        next: { type: 'string' },
        files: { type: 'string', required: true },
        counted: { type: 'string' },
        days: { type: 'string' },
      },
      indexes: indexes(),
    },
    { client, table },
  )
}

/**
 * What a list shows of an export (summary.ts), below the same id: 600 bytes, with a `reason` of a sentence.
 * It is written after the export, so it may be behind until the next look of maintenance.
 */
export function exportSummaryEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'export_summary', version: '2' },
      attributes: {
        ...SHARED,
        first: { type: 'string' },
        last: { type: 'string' },
        events: { type: 'number', required: true },
        bytes: { type: 'number', required: true },
      },
      indexes: indexes(),
    },
    { client, table },
  )
}
