export function sumEvents(counts: readonly { events: number }[]): number {
  return counts.reduce((sum, { events }) => sum + events, 0)
}
