import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'
import { EXPORT_STATUSES } from '#schemas/exports'

/**
 * An export lies in the partition of its account, so that it goes with it. `expires_at` is the table's TTL
 * attribute, Unix seconds. `datasets` are names with commas between them; lists and counts are JSON: at most
 * 1,000 files and the days of ten years, 365 KB.
 */
export function exportEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'export', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        status: { type: EXPORT_STATUSES, required: true },
        datasets: { type: 'string', required: true },
        from: { type: 'number', required: true },
        to: { type: 'number', required: true },
        created_at: { type: 'number', required: true },
        finished_at: { type: 'number' },
        reason: { type: 'string' },
        run: { type: 'string' },
        leased_until: { type: 'number', required: true },
        attempts: { type: 'number', required: true },
        next: { type: 'string' },
        files: { type: 'string', required: true },
        counted: { type: 'string' },
        days: { type: 'string' },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id'] }),
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
      model: { service: 'footfall', entity: 'export_summary', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        project_id: { type: 'string', required: true },
        status: { type: EXPORT_STATUSES, required: true },
        datasets: { type: 'string', required: true },
        created_at: { type: 'number', required: true },
        finished_at: { type: 'number' },
        reason: { type: 'string' },
        first: { type: 'string' },
        last: { type: 'string' },
        events: { type: 'number', required: true },
        bytes: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id'] }),
    },
    { client, table },
  )
}
