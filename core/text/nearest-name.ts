/** Names that mean the same in other reads, or in other services. */
const ALIASES = new Map<string, readonly string[]>(
  Object.entries({
    since: ['date_from'],
    from: ['since', 'date_from'],
    date_from: ['since'],
    start_date: ['since', 'date_from'],
    until: ['date_to'],
    to: ['date_to'],
    date_to: ['until'],
    interval: ['groupBy'],
    group: ['group_by', 'groupBy'],
    event_name: ['event', 'goal_event'],
    timezone: ['tz'],
    tz: ['timezone'],
    goal: ['goal_event'],
    end_date: ['until', 'date_to'],
    breakdown: ['by'],
  }),
)

/** Shortest part of a name that counts as near, characters. */
const MIN_PART_CHARS = 4
/** Letters that may be added, removed or replaced. */
const MAX_CHANGES = 2
/** Longest name that is compared, characters. */
const MAX_CHARS = 64

/** The name among `known` that a caller may have meant by `name`; null if none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_CHARS) return null
  const alias = (ALIASES.get(name) ?? []).find(each => known.includes(each))
  if (alias !== undefined) return alias
  const asked = plain(name)
  const letters = Array.from(asked).length
  const near = known
    // Each letter more or less is one change. Names of visitors have up to 256 characters, and there may be a
    // thousand.
    .filter(each => Math.abs(plain(each).length - letters) <= MAX_CHANGES)
    .map(each => ({ each, distance: distanceOf(asked, plain(each)) }))
    .filter(({ each, distance }) => distance <= Math.min(MAX_CHANGES, Math.floor(each.length / 3)))
    .toSorted((a, b) => a.distance - b.distance)
  return near[0]?.each ?? known.find(each => isPartOf(asked, plain(each))) ?? null
}

/**
 * Whether one of the names is in the other, as `sign_up` in `signup_completed`. Short texts are in many
 * names.
 */
function isPartOf(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a]
  return short.length >= MIN_PART_CHARS && long.includes(short)
}

/** Case and underscores do not count: `group_by` and `groupBy` are one name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll('_', '')
}

/** How many letters to add, remove or replace (Levenshtein). */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1]
    for (let j = 1; j <= b.length; j++) {
      const [above = 0, diagonal = 0, left = 0] = [row[j], row[j - 1], next[j - 1]]
      next.push(Math.min(above + 1, left + 1, diagonal + (b[j - 1] === letter ? 0 : 1)))
    }
    row = next
  }
  return row[b.length] ?? 0
}
