import type { Address, Filter } from '#dashboard/url'

/**
 * Says what of the address a read leaves out, and nothing where it leaves out nothing. `filters`: those that
 * it does not know. It ends now, unless `knowsEnd`.
 */
export function ReadsNote({
  address: { range },
  filters = [],
  knowsEnd = false,
}: {
  address: Pick<Address, 'range'>
  filters?: readonly Filter[]
  knowsEnd?: boolean
}) {
  const isOpen = knowsEnd || 'label' in range
  if (filters.length === 0 && isOpen) return null
  return (
    <p class="cut">
      {filters.length > 0 &&
        (filters.length === 1
          ? `Without the filter by ${nameOf(filters[0])}: this read does not know it. `
          : `Without the filters by ${filters.map(nameOf).join(', ')}: this read does not know them. `)}
      {!isOpen && 'Up to now: this read knows no last date.'}
    </p>
  )
}

function nameOf(filter: Filter | undefined): string {
  return filter?.field.replace(/^properties\./, '') ?? ''
}
