import type { Caller } from '#core/access/caller'
import type { AuditEvent, AuditLog } from '#core/accounts/audit'
import { type CredentialKind, isMetered, type Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { Exchange } from './chain.ts'

const names = new Map(Object.entries<Route>(routes).map(([name, route]) => [route, name]))

/**
 * Writes who did what to the account's audit log: changes and reports, refused ones included. Reads of the
 * account and its projects are left out, as clients poll them. The action is the operation's name in the
 * OpenAPI document.
 */
export function recordAudit({ audit }: { audit: Pick<AuditLog, 'record' | 'recordReport'> }) {
  return function recordAudit(call: Exchange & { caller: Caller }): void {
    const { route, caller, hooks, writes } = call
    const { kind, id, label } = caller.credential
    if ((isRead(route) && !isMetered(route)) || isOpen(kind)) return
    hooks.push(({ status }) => {
      // A later step adds the project, if the request comes so far.
      const { project } = call as { project?: { name: string } }
      const event: AuditEvent = {
        account_id: caller.account.id,
        actor: { type: kind, id, label },
        action: names.get(route) ?? route.path,
        route: `${route.method} ${route.path}`,
        project: project?.name ?? null,
        status,
      }
      writes.push(isMetered(route) ? audit.recordReport(event) : audit.record(event))
    })
  }
}

/** Whether it changes nothing. The reads of POST /reads are recorded one by one. */
function isRead(route: Route): boolean {
  return route.method === 'GET' || route === routes.reads
}

/** Anybody may come with these, so they would fill the log. */
function isOpen(kind: CredentialKind): boolean {
  return kind === 'demo' || kind === 'share_link'
}
