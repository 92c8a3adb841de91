import type { SqlQuery } from '#core/ports'
import { integer, join, sql } from '#core/sql'
import type { Segment } from './manifest.ts'
import type { LakeRead } from './relations.ts'
import { userKeyOf } from './tombstones.ts'

/**
 * Conditions that hide erased events from reads until no file has them any more. Only a project with an erasure in force has
 * such conditions. Projects that were erased as a whole are hidden by the look-up of projects.
 */

type ErasureRead = Pick<LakeRead, 'snapshot' | 'project'>

/** The hashes of users (userHash) whose events up to the Unix second `until` are erased. */
export type ErasedUsers = { users: readonly string[]; until: number }

/** Unix second of arrival. */
export const ARRIVAL = sql`(date_diff('second', TIMESTAMP '1970-01-01 00:00:00.000', timestamp) + lag_s)`

/** The erased users of the project whose events these segments may have. Without segments: all that are in force. */
export function erasedUsers(
  { snapshot, project }: ErasureRead,
  segments?: readonly Pick<Segment, 'erased'>[],
): ErasedUsers[] {
  const tombstones = snapshot.tombstones.filter(tombstone => tombstone.project_id === project.id)
  return tombstones.flatMap(({ users, until, number }) => {
    const isOpen = segments === undefined || segments.some(({ erased }) => erased < number)
    return users !== null && isOpen ? [{ users, until }] : []
  })
}

/** Whether the segments may have erased events of the project. */
export function mayHaveErased(read: ErasureRead, segments: readonly Pick<Segment, 'erased'>[]): boolean {
  return erasedUsers(read, segments).length > 0
}

/** A condition on hot events, which have a user_key. */
export function notErasedHot({ users, until }: ErasedUsers): SqlQuery {
  const keys = join(
    users.map(user => integer(userKeyOf(user))),
    ', ',
  )
  return sql`(user_key IS NULL OR user_key NOT IN (${keys}) OR ${ARRIVAL} > ${integer(until)})`
}

/** A condition on the events of segments, which have no user_key. */
export function notErasedStored({ users, until }: ErasedUsers): SqlQuery {
  const hashes = join(
    users.map(user => sql`${user}`),
    ', ',
  )
  return sql`(user_id IS NULL OR substr(to_hex(sha256(to_utf8(user_id))), 1, 16) NOT IN (${hashes}) OR ${ARRIVAL} > ${integer(until)})`
}
