import type { SqlQuery } from '#core/ports'
import { integer, sql } from '#core/sql/sql'
import type { LakeRead } from './lake-read.ts'
import { inRawFiles, raw, visible } from './raw.ts'
import { finalLinks } from './user-links.ts'

/**
 * The traits of the users of a project, without erased ones (docs/api/conditions.md, U126): one row
 * (user_id, public_traits, trusted_traits) for each person, by final id. Both are JSON, or null. What came
 * with a credential is trusted, and its keys come first. The files have the final ids that the project had
 * when they were written. Such an id may have been linked to another one since, or by another project of the
 * portfolio, so the read replaces it by the final id that it knows.
 */
export function personTraits(read: LakeRead, files: readonly string[]): SqlQuery {
  const { project, links } = read
  const from = raw`FROM user_traits WHERE ${inRawFiles('user_traits', files)}
        AND bucket = ${integer(project.bucket)} AND project_id = ${project.id}`
  const rows = visible(read, { from, persons: 'traits', segments: null }, COLUMNS)
  const resolved =
    links == null
      ? rows
      : sql`SELECT coalesce(linked_id, user_id) AS user_id, has_credential, sent_at, sent_seq, traits
      FROM (${rows}) AS stored_traits LEFT JOIN (${finalLinks(links, 'id', read)}) AS link ON previous_id = user_id`
  return sql`(SELECT user_id, max(CASE WHEN has_credential = 0 THEN traits END) AS public_traits,
      max(CASE WHEN has_credential = 1 THEN traits END) AS trusted_traits
    FROM (SELECT user_id, has_credential, traits, row_number() OVER (PARTITION BY user_id, has_credential
        ORDER BY sent_at DESC, sent_seq DESC) AS nth FROM (${resolved}) AS resolved_traits) AS each_traits
    WHERE nth = 1 GROUP BY user_id)`
}

const COLUMNS = ['user_id', 'has_credential', 'sent_at', 'sent_seq', 'traits'] as const
