/** What a credential may be allowed to do (docs/api/agent-sessions.md). */
export const SCOPES = [
  'account:read',
  'projects:read',
  'projects:write',
  'analytics:read',
  'experiments:read',
  'experiments:write',
  'feedback:write',
  'live:read',
  'replays:read',
  'replays:write',
  'exports:read',
] as const
export type Scope = (typeof SCOPES)[number]

/** What a claim gets that asks for nothing (U73). */
export const READ_SCOPES: readonly Scope[] = [
  'account:read',
  'projects:read',
  'analytics:read',
  'experiments:read',
  'live:read',
]

/** What a session gets that asks for nothing. */
export const DEFAULT_SCOPES: readonly Scope[] = [
  'account:read',
  'projects:read',
  'projects:write',
  'analytics:read',
  'experiments:write',
  'feedback:write',
  'live:read',
]
