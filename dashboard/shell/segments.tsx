import { go } from '#dashboard/navigate'
import { addressOfSaved } from '#dashboard/saved'
import { type Address, printAddress } from '#dashboard/url'

export type SavedView = { id: string; name: string; query: string }

/** Saved views as segments: the filters of one, for whatever view is open. */
export function Segments({ address, savedViews }: { address: Address; savedViews: readonly SavedView[] }) {
  const segments = savedViews.flatMap(({ id, name, query }) => {
    const { filters } = addressOfSaved(address.project ?? '', query)
    return filters.length === 0 ? [] : [{ id, name, to: { ...address, filters } }]
  })
  if (segments.length === 0) return null
  const shown = printAddress(address)
  const chosen = segments.find(({ to }) => printAddress(to) === shown)
  return (
    <label>
      <span class="hidden">Segment</span>
      <select
        class="add"
        value={chosen?.id ?? ''}
        onChange={({ currentTarget: { value } }) => {
          const segment = segments.find(({ id }) => id === value)
          go(segment?.to ?? { ...address, filters: [] })
        }}
      >
        <option value="">{chosen === undefined ? 'Segments' : 'Everything'}</option>
        {segments.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
