import { hrefTo } from '#dashboard/navigate'
import { type Address, withOwn } from '#dashboard/url'

/** Pages that Back by one can go; further back is the first page. */
const MAX_CURSORS = 30

/** Leads to the next page of a list and back. The own value `before` has the cursor of each page so far. */
export function Pager({
  address,
  next,
  words: { first, back, on } = { first: 'Newest', back: 'Newer', on: 'Older' },
}: {
  address: Address
  next: string | null
  words?: { first: string; back: string; on: string }
}) {
  const cursors = address.own.before ?? []
  if (cursors.length === 0 && next === null) return null
  const at = (before: readonly string[]) => hrefTo(withOwn(address, { before: before.slice(-MAX_CURSORS) }))
  return (
    <nav class="pager" aria-label="Pages of the list">
      {cursors.length > 1 && <a href={at([])}>{first}</a>}
      {cursors.length > 0 && <a href={at(cursors.slice(0, -1))}>{back}</a>}
      {next !== null && <a href={at([...cursors, next])}>{on}</a>}
    </nav>
  )
}
