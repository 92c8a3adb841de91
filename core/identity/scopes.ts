import { hash } from 'node:crypto'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { bucketOf } from '#core/state/bucket-of'

/** Of the hash of the members in the key of a joined scope. */
const HASH_DIGITS = 12

/** What decides the identity scope of a project. */
export type ScopedProject = Pick<
  Project,
  | 'id'
  | 'account_id'
  | 'name'
  | 'bucket'
  | 'portfolio_id'
  | 'link_domains'
  | 'has_links'
  | 'has_linked_anonymous_ids'
> &
  Pick<Project, 'created_at' | 'has_event_ids'>

/**
 * Projects whose links count together: one project, or the joined projects of a portfolio
 * (docs/api/portfolios.md).
 */
export type IdentityScope = {
  /**
   * The project's id. For a joined scope the portfolio's id and a hash of its members: other members are
   * another scope.
   */
  key: string
  /** Where the lake keeps the resolved links. */
  bucket: number
  projects: readonly ScopedProject[]
}

/** The scope of a project alone. */
export function ownScope(project: ScopedProject): IdentityScope {
  return { key: project.id, bucket: project.bucket, projects: [project] }
}

/**
 * The scope in which reads of a project resolve ids: that of its portfolio if both halves are given, else its
 * own.
 */
export async function findScope(
  { list }: Pick<ProjectDirectory, 'list'>,
  project: ScopedProject,
): Promise<IdentityScope> {
  const { portfolio_id } = project
  if (portfolio_id === null || !sharesUsers(project)) return ownScope(project)
  const projects = (await list(project.account_id))
    .filter(member => member.portfolio_id === portfolio_id && sharesUsers(member))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
  if (projects.length < 2) return ownScope(project)
  const members = hash('sha256', projects.map(({ id }) => id).join(' '))
  return { key: `${portfolio_id}_${members.slice(0, HASH_DIGITS)}`, bucket: bucketOf(portfolio_id), projects }
}

/** The buckets in which links of a project may count. */
export function bucketsOf({
  bucket,
  portfolio_id,
}: Pick<ScopedProject, 'bucket' | 'portfolio_id'>): number[] {
  return portfolio_id === null ? [bucket] : [...new Set([bucket, bucketOf(portfolio_id)])]
}

/** The second half of a joined scope: the tracker of the project links its users to other domains. */
function sharesUsers({ link_domains, has_linked_anonymous_ids }: ScopedProject): boolean {
  return link_domains.length > 0 || has_linked_anonymous_ids
}

/** Whether a key is that of a project alone. Joined scopes have another form of key. */
export function isProject(scopeKey: string): boolean {
  return scopeKey.startsWith('proj_')
}

/** The bucket of a joined scope. */
export function bucketOfJoined(scopeKey: string): number {
  return bucketOf(scopeKey.slice(0, -1 - HASH_DIGITS))
}
