import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { channelName } from '#dashboard/channels'
import { countryName } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { datedOf } from '#dashboard/question'
import { readShared } from '#dashboard/shared'
import { eventLabel, fieldLabel, pathLabel, visible } from '#dashboard/texts'
import {
  type Address,
  FILTER_OPS,
  type Filter,
  type FilterOp,
  SESSION_FIELDS,
  withFilter,
} from '#dashboard/url'
import { bareKey, fieldOfKey, oneSpelling, prefixedKey } from '#schemas/property-names'
import { SaveView } from './save-view.tsx'
import { type SavedView, Segments } from './segments.tsx'

export const OP_NAMES: Record<FilterOp, string> = {
  eq: 'is',
  neq: 'is not',
  contains: 'contains',
  gt: 'is more than',
  gte: 'is at least',
  lt: 'is less than',
  lte: 'is at most',
}

/** Fields whose values are too many to suggest, or no property. */
const IDS = ['user_id', 'session_id', ...SESSION_FIELDS]

/** Fields whose values have names. */
const NAMES_OF: Readonly<Record<string, (value: string) => string>> = {
  country: countryName,
  channel: channelName,
  event: eventLabel,
  entry_page: pathLabel,
  'properties.path': pathLabel,
}

/** A filter in words. */
export function filterWords({ field, op, value }: Filter): string {
  const shown = value === '' ? '(empty)' : (NAMES_OF[field] ?? visible)(value)
  return `${fieldLabel(field)} ${OP_NAMES[op]} ${shown}`
}

type BarProps = {
  address: Address
  /** false: the open view has numbers of everything, whatever the filters say. */
  hasEffect: boolean
  savedViews: readonly SavedView[]
}

/** The filters of all views of the project, and the form that adds one. */
export function FilterBar({ address, hasEffect, savedViews }: BarProps) {
  const { filters } = address
  /** What the form changes: a filter by its place, or a new one. */
  const [edited, setEdited] = useState<number | 'new' | null>(null)
  const close = () => setEdited(null)
  const withChanged = (index: number, filter: Filter) => ({
    ...address,
    filters: filters.map((each, i) => (i === index ? filter : each)),
  })
  const without = (index: number) => ({ ...address, filters: filters.filter((_, i) => i !== index) })
  useEffect(() => {
    const open = () => setEdited(hasEffect ? 'new' : null)
    addEventListener('footfall-filter', open)
    return () => removeEventListener('footfall-filter', open)
  }, [hasEffect])
  return (
    <div class="filters" role="group" aria-label="Filters" tabIndex={-1}>
      {filters.map((filter, i) => (
        <span class={hasEffect ? 'chip' : 'chip off'} key={`${filter.field}${filter.op}${filter.value}`}>
          <button
            type="button"
            class="words"
            title="Change the filter"
            disabled={!hasEffect}
            onClick={() => setEdited(i)}
          >
            {filterWords(filter)}
          </button>
          <button
            type="button"
            aria-label={`Remove the filter: ${filterWords(filter)}`}
            onClick={() => go(without(i))}
          >
            ×
          </button>
        </span>
      ))}
      {hasEffect ? (
        <button type="button" class="add" onClick={() => setEdited('new')}>
          + Filter
        </button>
      ) : (
        filters.length > 0 && <span class="cut">do not count in this view</span>
      )}
      {filters.length > 1 && (
        <button type="button" class="link" onClick={() => go({ ...address, filters: [] })}>
          Remove all
        </button>
      )}
      {hasEffect && <Segments address={address} savedViews={savedViews} />}
      {address.area === 'account' && <SaveView address={address} />}
      {edited !== null && (
        <FilterForm
          key={edited}
          address={address}
          title="Only events where"
          known={edited === 'new' ? undefined : filters[edited]}
          add={filter => go(edited === 'new' ? withFilter(address, filter) : withChanged(edited, filter))}
          close={close}
        />
      )}
    </div>
  )
}

export type FilterFormProps = {
  address: Address
  title: string
  /** The condition that is changed; absent: a new one. */
  known?: Filter | undefined
  /** Only values of this event are suggested, and its name is no field. */
  event?: string
  add(filter: Filter): void
  close(): void
}

/** Asks for one condition, with values that the project has had in the range. */
export function FilterForm({ address, title, known, event: ofEvent, add, close }: FilterFormProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const [field, setField] = useState(known?.field ?? 'properties.path')
  const [op, setOp] = useState<FilterOp>(known?.op ?? 'eq')
  const [value, setValue] = useState(known?.value ?? '')
  const listId = useId()
  const project = address.project ?? readShared()?.project ?? 'demo'
  const dated = { project, ...datedOf(address) }
  const isEvent = field === 'event'
  const property = oneSpelling(field)
  const answers = useAnswers({
    fields: call('GET /properties', dated),
    ...(isEvent || IDS.includes(field)
      ? {}
      : { values: call('GET /breakdown', { ...dated, property, event: ofEvent, limit: 50 }) }),
  })
  useLayoutEffect(() => ref.current?.showModal(), [])
  const keys = answers.fields.data?.property_keys ?? []
  const ofProperties = ['path', ...keys].map(key => fieldOfKey(bareKey(key)))
  const isOfProperty = prefixedKey(field) !== undefined
  const values = isEvent
    ? (answers.fields.data?.events.map(({ event, count }) => ({ value: event, count })) ?? [])
    : ((answers as { values?: { data?: { values: { value: string; count: number }[] } } }).values?.data
        ?.values ?? [])
  const submit = (event: Event) => {
    event.preventDefault()
    if (value === '') return
    add({ field, op, value })
    close()
  }
  return (
    <dialog ref={ref} class="filter-form" aria-labelledby={`${listId}-title`} onClose={close}>
      <h2 id={`${listId}-title`}>{title}</h2>
      <form onSubmit={submit}>
        <label>
          Field
          <select
            value={field}
            onChange={event => {
              setField(event.currentTarget.value)
              setValue('')
            }}
          >
            {ofEvent === undefined && <option value="event">{fieldLabel('event')}</option>}
            <option value="country">{fieldLabel('country')}</option>
            {ofEvent === undefined &&
              IDS.map(id => (
                <option key={id} value={id}>
                  {fieldLabel(id)}
                </option>
              ))}
            {[...new Set([...ofProperties, ...(isOfProperty ? [field] : [])])].map(each => (
              <option key={each} value={each}>
                {fieldLabel(each)}
              </option>
            ))}
          </select>
        </label>
        <label>
          Condition
          <select value={op} onChange={event => setOp(event.currentTarget.value as FilterOp)}>
            {FILTER_OPS.map(each => (
              <option key={each} value={each}>
                {OP_NAMES[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Value
          <input
            autofocus
            required
            maxLength={500}
            list={listId}
            value={value}
            onInput={event => setValue(event.currentTarget.value)}
          />
        </label>
        <datalist id={listId}>
          {values.map(each => (
            <option key={each.value} value={each.value}>
              {field === 'country' ? countryName(each.value) : ''}
            </option>
          ))}
        </datalist>
        <footer>
          <button type="button" class="plain" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="primary">
            {known !== undefined ? 'Change' : ofEvent === undefined ? 'Add the filter' : 'Add the condition'}
          </button>
        </footer>
      </form>
    </dialog>
  )
}
