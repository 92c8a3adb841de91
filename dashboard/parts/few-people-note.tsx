import { hasShareLink } from '#dashboard/credential'
import { formatted } from '#dashboard/format'

/** What the answers to a share link have in common (docs/api/dashboard.md, Groups of few people). */
type Data = {
  warnings?: readonly string[]
  rows?: readonly Record<string, unknown>[]
  other?: Record<string, unknown>
}

const UNITS = {
  event_count: 'events',
  events: 'events',
  count: 'events',
  sessions: 'sessions',
  users: 'people',
}

/** Says to who has a share link that groups of few people are not listed, and what is in them. */
export function FewPeopleNote({ data }: { data: unknown }) {
  if (!hasShareLink()) return null
  const { warnings = [], rows, other } = (data ?? {}) as Data
  const ofLink = warnings.filter(text => text.includes('share link'))
  if (ofLink.length === 0) return null
  if (ofLink.some(text => text.startsWith('Fewer than five people match'))) {
    return (
      <p class="cut">
        Fewer than five people match, or nobody. A share link shows nothing of so few, nor what is left of a
        list without them. Filter by a value that is listed.
      </p>
    )
  }
  const sums = rows?.find(row => row.other === true) ?? other
  // Then they are in the period before alone.
  if (sums === undefined) return null
  return (
    <p class="cut">
      {sumText(sums)} Groups of fewer than five people are not listed one by one, and neither is the smallest
      group beside them.
    </p>
  )
}

/** `Other: 46 events.`, where there is one sum. */
function sumText(sums: Record<string, unknown>): string {
  const known = Object.entries(UNITS).filter(([name]) => typeof sums[name] === 'number')
  const [[name, unit] = []] = known
  return known.length === 1 && name !== undefined ? `Other: ${formatted(Number(sums[name]))} ${unit}.` : ''
}
