export const DAY_MS = 86_400_000

/** YYYY-MM-DD of Unix ms, in UTC. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Unix ms of the beginning of the UTC day. */
export function midnight(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
