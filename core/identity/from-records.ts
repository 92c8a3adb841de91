import type { StreamRecord } from '#core/ingest/record'
import type { Link } from './links.ts'
import type { ProfileUpdate } from './profile-store.ts'

/** What the identify records of a claim say about the users of one project. */
export type IdentityUpdates = { links: Link[]; profiles: ProfileUpdate[] }

/** Collects the identify records by project. */
export function identitiesOf(records: readonly StreamRecord[]): Map<string, IdentityUpdates> {
  const updates = new Map<string, IdentityUpdates>()
  for (const record of records) {
    if (record.kind !== 'identify') continue
    const { project_id, previous_id, user_id, traits, email_hash, received_at: at, seq } = record
    const project = updates.get(project_id) ?? { links: [], profiles: [] }
    updates.set(project_id, project)
    if (previous_id !== user_id) project.links.push({ previous_id, user_id, at, seq })
    if (traits !== null) project.profiles.push({ user_id, traits, email_hash, at, seq })
  }
  return updates
}
