import { Entity } from 'electrodb'
import type { Clock, Log } from '#core/ports'
import { randomSecret } from '#core/sessions/tokens'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state-table'
import { utcDate } from '#core/time'
import type { Credential } from './caller.ts'

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

/** How long an entry is kept, days. */
export const AUDIT_DAYS = 30
const CURSOR = /^\d{13}-[0-9a-f]{16}$/

/**
 * The audit log of an account: one item an entry, in the partition of its account and day. Entries that cannot be written
 * are logged, and the request goes on: it has happened.
 */
export function createAuditLog({ clock, log, ...state }: StateTable & { clock: Clock; log: Log }) {
  const entries = auditEntity(state)

  async function record({ account_id, actor, action, route, project, status }: AuditEvent): Promise<void> {
    const at = clock.now()
    const item = {
      account_id,
      day: utcDate(at),
      id: `${String(at).padStart(13, '0')}-${randomSecret().slice(0, 16)}`,
      at,
      actor_type: actor.type,
      actor_id: actor.id,
      ...(actor.label !== null && { actor_label: actor.label }),
      action,
      route,
      ...(project !== null && { project }),
      status,
      expires_at: Math.ceil(at / 1_000) + (AUDIT_DAYS + 1) * 86_400,
    }
    await orUnavailable(entries.create(item).go()).catch(error =>
      log('AUDIT_NOT_WRITTEN', { error: String(error) }),
    )
  }

  /**
   * The newest entries before the cursor, and the cursor of the next page; null at the end. Returns null for a cursor
   * that is none of ours.
   */
  async function list(
    accountId: string,
    limit: number,
    before?: string,
  ): Promise<{ entries: AuditEntry[]; next_before: string | null } | null> {
    if (before !== undefined && !CURSOR.test(before)) return null
    const now = clock.now()
    const oldest = now - AUDIT_DAYS * 86_400_000
    const found: (AuditEntry & { id: string })[] = []
    const newest = before === undefined ? now : Math.min(now, Number(before.slice(0, 13)))
    for (let at = newest; utcDate(at) >= utcDate(oldest) && found.length <= limit; at -= 86_400_000) {
      const query = entries.query.main({ account_id: accountId, day: utcDate(at) })
      const page = before === undefined ? query : query.lt({ id: before })
      const { data } = await orUnavailable(
        page.go({ order: 'desc', limit: limit + 1 - found.length, consistent: true }),
      )
      for (const item of data) {
        if (item.at <= oldest) continue
        found.push({
          id: item.id,
          at: item.at,
          actor: {
            type: item.actor_type as AuditEvent['actor']['type'],
            id: item.actor_id,
            label: item.actor_label ?? null,
          },
          action: item.action,
          route: item.route,
          project: item.project ?? null,
          status: item.status,
        })
      }
    }
    const shown = found.slice(0, limit)
    return {
      entries: shown.map(({ id: _, ...entry }) => entry),
      next_before: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
    }
  }

  return { record, list }
}

export type AuditLog = ReturnType<typeof createAuditLog>

function auditEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'audit', version: '1' },
      attributes: {
        account_id: { type: 'string', required: true },
        day: { type: 'string', required: true },
        id: { type: 'string', required: true },
        at: { type: 'number', required: true },
        actor_type: { type: 'string', required: true },
        actor_id: { type: 'string', required: true },
        actor_label: { type: 'string' },
        action: { type: 'string', required: true },
        route: { type: 'string', required: true },
        project: { type: 'string' },
        status: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['account_id', 'day'], sk: ['id'] }),
    },
    { client, table },
  )
}
