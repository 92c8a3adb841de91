import { go } from '#dashboard/navigate'
import { addressOfSaved } from '#dashboard/saved'
import { openSegment, type Segment, withSegment } from '#dashboard/segments'
import { type Address, printAddress } from '#dashboard/url'
import { segmentTitle } from './filter-words.ts'

export type SavedView = { id: string; name: string; query: string }

type ChoiceProps = { address: Address; savedViews: readonly SavedView[]; segments: readonly Segment[] }

/** Segments of the project, and the filters of its saved views, for whatever view is open. */
export function SegmentChoice({ address, savedViews, segments }: ChoiceProps) {
  const views = savedViews.flatMap(({ id, name, query }) => {
    const { filters } = addressOfSaved(address.project ?? '', query)
    return filters.length === 0 ? [] : [{ id, name, to: { ...address, filters } }]
  })
  if (views.length === 0 && segments.length === 0) return null
  const shown = printAddress(address)
  const segment = openSegment(address)
  const view = views.find(({ to }) => printAddress(to) === shown)
  // A view with a segment among its filters is that view: it says more.
  const chosen = view !== undefined ? `view ${view.id}` : segment === undefined ? '' : `segment ${segment}`
  const choose = (value: string) => {
    const [kind, name = ''] = value.split(' ')
    if (kind === 'segment') go(withSegment(address, name))
    else if (kind === 'view') go(views.find(({ id }) => id === name)?.to ?? address)
    else go(view === undefined ? withSegment(address, null) : { ...address, filters: [] })
  }
  return (
    <label>
      <span class="hidden">Segment</span>
      <select class="add" value={chosen} onChange={({ currentTarget: { value } }) => choose(value)}>
        <option value="">{chosen === '' ? 'Segments' : 'Everything'}</option>
        {segments.length > 0 && (
          <optgroup label="Segments">
            {segments.map(({ name }) => (
              <option key={name} value={`segment ${name}`}>
                {segmentTitle(name, segments)}
              </option>
            ))}
          </optgroup>
        )}
        {views.length > 0 && (
          <optgroup label="Filters of saved views">
            {views.map(({ id, name }) => (
              <option key={id} value={`view ${id}`}>
                {name}
              </option>
            ))}
          </optgroup>
        )}
      </select>
    </label>
  )
}
