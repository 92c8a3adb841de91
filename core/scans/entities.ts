import { Entity } from '#core/state/entity'
import { primaryIndex, type StateTable } from '#core/state/state-table'
import { SCAN_MODES, SCAN_STAGES, SCAN_STATUSES } from './scan.ts'

/**
 * The items of analyses. Those of an account lie in its partition, so that they go with it. `expires_at` is
 * the table's TTL attribute, Unix seconds. An account has at most as many as its quotas allow in 400 days.
 */

export function scanEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'scan', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        mode: { type: SCAN_MODES, required: true },
        status: { type: SCAN_STATUSES, required: true },
        stage: { type: SCAN_STAGES, required: true },
        url: { type: 'string', required: true },
        addresses: { type: 'list', items: { type: 'string' }, required: true },
        hostname: { type: 'string', required: true },
        focus: { type: 'string' },
        project_id: { type: 'string' },
        resume_hash: { type: 'string' },
        failure: {
          type: 'map',
          properties: {
            code: { type: ['INVALID_URL', 'SCAN_FAILED'] as const, required: true },
            reason: { type: 'string', required: true },
          },
        },
        quota_month: { type: 'string' },
        is_rescan: { type: 'boolean' },
        attempt: { type: 'string' },
        attempts: { type: 'number', required: true },
        created_at: { type: 'number', required: true },
        started_at: { type: 'number', required: true },
        finished_at: { type: 'number' },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id'] }),
    },
    { client, table },
  )
}

/** A result beside its analysis, at most MAX_PACKED_CHARS (core/scans/scan-store.ts). */
export function scanResultEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'scanresult', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        id: { type: 'string', required: true },
        depth: { type: ['preview', 'full'] as const, required: true },
        /** JSON, gzip, base64. */
        packed: { type: 'string', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id'], sk: ['id', 'depth'] }),
    },
    { client, table },
  )
}

/** The last anonymous preview of a host, for a day. */
export function scanCacheEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'scancache', version: '1' },
      attributes: {
        hostname: { type: 'string', required: true },
        id: { type: 'string', required: true },
        url: { type: 'string', required: true },
        packed: { type: 'string', required: true },
        valid_until: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hostname'], sk: [] }),
    },
    { client, table },
  )
}
