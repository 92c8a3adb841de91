/** A project as it is stored; schemas/projects.ts has what callers see. */
export type Project = {
  id: string
  account_id: string
  name: string
  project_token: string
  /** `*` or origins separated by commas, normalised. */
  allowed_origins: string
  link_domains: string[]
  source_scan_id: string | null
  /** hash(id) mod BUCKETS, fixed for ever. */
  bucket: number
  /** Whether it was ever sent an event with an event_id: only then can reads meet a copy of a stored event. */
  has_event_ids: boolean
  /** ISO 8601. */
  created_at: string
  /** ISO 8601, or null while it lives. */
  deleted_at: string | null
}

/** What the lake consumer tells of projects. */
export type EventIdNotes = {
  /** Notes that the project sends event_ids; remembered in the process, so that it may be called for every batch. */
  noteEventIds(projectId: string): Promise<void>
}

/** Reads of projects that other rooms need; core/projects/store.ts keeps them. */
export type ProjectDirectory = {
  /** The live project of a token, or null. Cached for a few seconds; a deletion on this machine shows at once. */
  byToken(token: string): Promise<Project | null>
  /** The project of an id, live or deleted, or null. */
  byId(id: string): Promise<Project | null>
  /** The account's live project by id or exact name (id wins), or null. */
  resolve(accountId: string, nameOrId: string): Promise<Project | null>
}
