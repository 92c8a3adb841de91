import { type Caller, hasScope } from '#core/access/caller'
import type { Project } from '#core/projects/project'
import type { WrittenEvent } from './item.ts'
import { type Ok, ok } from './results.ts'
import type { Sender } from './sender.ts'

type CredentialCheck = {
  project: Project
  sender: Pick<Sender, 'findCaller'>
  events: readonly Pick<WrittenEvent, 'event_id'>[]
}

/**
 * Adds whether the event_ids of a request count as the project's own: such a copy replaces those that anybody
 * can send with the public token (U63). Without event_ids the credential is not looked up.
 */
export function checkCredential({
  project,
  sender,
  events,
}: CredentialCheck): Ok<{ isCredentialed: boolean }> | Promise<Ok<{ isCredentialed: boolean }>> {
  if (events.every(({ event_id }) => event_id === null)) return ok({ isCredentialed: false })
  return sender.findCaller().then(caller => ok({ isCredentialed: isOfProject(caller, project) }))
}

/**
 * Whether the caller may write for the project: with a credential of its account that has the scope
 * `projects:write` (docs/api/ingestion.md).
 */
export function isOfProject(caller: Caller | null, project: Project): boolean {
  return caller !== null && caller.account.id === project.account_id && hasScope(caller, 'projects:write')
}
