import { useEffect, useState } from 'preact/hooks'
import { go } from '#dashboard/navigate'
import { hasConditions, isOfEvent } from '#dashboard/question'
import type { Segment } from '#dashboard/segments'
import { type Address, type Filter, withFilter } from '#dashboard/url'
import { FilterForm } from './filter-form.tsx'
import { filterWords } from './filter-words.ts'
import { SaveView } from './save-view.tsx'
import { type SavedView, SegmentChoice } from './segment-choice.tsx'
import { SegmentsDialog } from './segments-dialog.tsx'

type BarProps = {
  address: Address
  /** false: the open view has numbers of everything, whatever the filters say. */
  hasEffect: boolean
  savedViews: readonly SavedView[]
  segments: readonly Segment[]
}

/** The filters of all views of the project, the form that adds one, and the segments of the project. */
export function FilterBar({ address, hasEffect, savedViews, segments }: BarProps) {
  const { filters } = address
  /** What the form changes: a filter by its place, or a new one. */
  const [edited, setEdited] = useState<number | 'new' | null>(null)
  const close = () => setEdited(null)
  const withChanged = (index: number, filter: Filter) => ({
    ...address,
    filters: filters.map((each, i) => (i === index ? filter : each)),
  })
  const without = (index: number) => ({ ...address, filters: filters.filter((_, i) => i !== index) })
  const isHeld = (filter: Filter) => hasEffect && (hasConditions(address) || isOfEvent(filter))
  useEffect(() => {
    const open = () => setEdited(hasEffect ? 'new' : null)
    addEventListener('footfall-filter', open)
    return () => removeEventListener('footfall-filter', open)
  }, [hasEffect])
  return (
    <div class="filters" role="group" aria-label="Filters" tabIndex={-1}>
      {filters.map((filter, i) => {
        const words = filterWords(filter, segments)
        return (
          <span class={isHeld(filter) ? 'chip' : 'chip off'} key={words}>
            <button
              type="button"
              class="words"
              title="Change the filter"
              disabled={!isHeld(filter) || filter.field === 'segment'}
              onClick={() => setEdited(i)}
            >
              {words}
            </button>
            <button type="button" aria-label={`Remove the filter: ${words}`} onClick={() => go(without(i))}>
              ×
            </button>
          </span>
        )
      })}
      {hasEffect ? (
        <button type="button" class="add" onClick={() => setEdited('new')}>
          + Filter
        </button>
      ) : (
        filters.length > 0 && <span class="cut">do not count in this view</span>
      )}
      {hasEffect && !filters.every(isHeld) && (
        <span class="cut">A share link filters by events alone: what is struck through does not hold.</span>
      )}
      {filters.length > 1 && (
        <button type="button" class="link" onClick={() => go({ ...address, filters: [] })}>
          Remove all
        </button>
      )}
      {hasEffect && <SegmentChoice address={address} savedViews={savedViews} segments={segments} />}
      {address.area === 'account' && (
        <>
          <SegmentsDialog address={address} segments={segments} />
          <SaveView address={address} segments={segments} />
        </>
      )}
      {edited !== null && (
        <FilterForm
          key={edited}
          address={address}
          title={edited === 'new' ? 'Add a filter' : 'Change the filter'}
          known={edited === 'new' ? undefined : filters[edited]}
          add={filter => go(edited === 'new' ? withFilter(address, filter) : withChanged(edited, filter))}
          close={close}
        />
      )}
    </div>
  )
}
