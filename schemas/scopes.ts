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
] as const
export type Scope = (typeof SCOPES)[number]

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
