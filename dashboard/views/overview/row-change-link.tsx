import { hrefTo } from '#dashboard/navigate'
import { type Address, withOwn } from '#dashboard/url'
import { canShowChanges, showsChanges } from './requests.ts'

/** Shows the change of each row of the lists, or hides it. They are asked for then: most readers look at the totals. */
export function RowChangeLink({ address }: { address: Address }) {
  if (!canShowChanges(address)) return null
  const isShown = showsChanges(address)
  return (
    <p class="cut row-change">
      <a href={hrefTo(withOwn(address, { rows: isShown ? [] : ['change'] }))}>
        {isShown ? 'Hide the change of each row' : 'Show the change of each row'}
      </a>
    </p>
  )
}
