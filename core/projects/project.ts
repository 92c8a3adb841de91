/** A project inside the service; schemas/projects.ts has the form that callers see. */
export type Project = {
  id: string
  account_id: string
  name: string
  /** What people read instead of `name` (U129); null: nothing else. */
  display_name: string | null
  project_token: string
  /** `*` or origins separated by commas, in the form of normalizeOrigins. */
  allowed_origins: string
  link_domains: string[]
  source_scan_id: string | null
  /** IANA time zone of reads without `tz`; null: UTC. */
  timezone: string | null
  /** Days for which its events are kept, if fewer than its plan keeps (U122); null: as the plan. */
  retention_days: number | null
  /** hash(id) mod BUCKETS; never changes. */
  bucket: number
  /** Whether any event came with an event_id: only then can reads meet copies. */
  has_event_ids: boolean
  /** Whether any identify request has linked two ids: only then do reads resolve user ids. */
  has_links: boolean
  /**
   * Whether the tracker has linked two anonymous ids, which it does between domains (docs/api/portfolios.md).
   */
  has_linked_anonymous_ids: boolean
  /** The portfolio that the project is in, or null. */
  portfolio_id: string | null
  /** ISO 8601. */
  created_at: string
  /** ISO 8601, or null for a live project. */
  deleted_at: string | null
}

/** Lets the lake consumer record which projects send event_ids. */
export type EventIdNotes = {
  /**
   * Records that the project sends event_ids. A cache in the process makes it cheap to call for every batch.
   */
  noteEventIds(projectId: string): Promise<void>
}

/** Lets the lake consumer record which projects have links of ids. */
export type LinkNotes = {
  /**
   * Records that ids of the project are linked; `linksAnonymousIds`: two anonymous ids. Cheap to call for
   * every batch.
   */
  noteLinks(projectId: string, linksAnonymousIds: boolean): Promise<void>
}

/** The look-ups of projects that other rooms need. core/projects/directory.ts implements them. */
export type ProjectDirectory = {
  /**
   * Returns the live project of a token, or null. Cached for seconds; a deletion by this process shows at
   * once.
   */
  byToken(token: string): Promise<Project | null>
  /** Returns the project of an id, live or deleted, or null. */
  byId(id: string): Promise<Project | null>
  /** Returns the account's live project by id or exact name (id wins), or null. */
  resolve(accountId: string, nameOrId: string): Promise<Project | null>
  /** Returns the account's live projects, oldest first. */
  list(accountId: string): Promise<Project[]>
}
