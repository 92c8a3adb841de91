import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useAnswers } from '#dashboard/answers'
import { call } from '#dashboard/api'
import { countryName } from '#dashboard/format'
import { datedOf, hasConditions } from '#dashboard/question'
import { readShared } from '#dashboard/shared'
import { eventLabel, fieldLabel } from '#dashboard/texts'
import { type Address, FILTER_OPS, type Filter, type FilterOp, SESSION_FIELDS } from '#dashboard/url'
import { bareKey, fieldOfKey, oneSpelling, prefixedKey } from '#schemas/property-names'
import { OP_NAMES } from './filter-words.ts'

/** Fields whose values are too many to suggest. */
const IDS = ['user_id', 'session_id']
/** Those, and fields that are no property of an event. */
const NO_VALUES = [...IDS, ...SESSION_FIELDS]

/** What a filter leaves: what happened, or all of the sessions, or all of the visitors, that it chooses. */
const KINDS = {
  event: 'Only what happened where',
  session: 'Sessions with an event where',
  person: 'Visitors with an event where',
  did: 'Visitors who did',
  did_not: 'Visitors who did not do',
} as const
type Kind = keyof typeof KINDS

function kindOf({ field, op, of }: Filter): Kind {
  if (field === 'did') return op === 'neq' ? 'did_not' : 'did'
  return of ?? 'event'
}

export type FilterFormProps = {
  address: Address
  title: string
  /** The condition that is changed; absent: a new one. */
  known?: Filter | undefined
  /** Only values of this event are suggested, and the condition is of its events alone. */
  event?: string
  add(filter: Filter): void
  close(): void
}

/** Requests for one condition, with values that the project has had in the range. */
export function FilterForm({ address, title, known, event: ofEvent, add, close }: FilterFormProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const [kind, setKind] = useState<Kind>(known === undefined ? 'event' : kindOf(known))
  const isDid = kind === 'did' || kind === 'did_not'
  const [chosen, setField] = useState(known?.field ?? 'properties.path')
  const [op, setOp] = useState<FilterOp>(known?.op ?? 'eq')
  const [value, setValue] = useState(known?.value ?? '')
  const field = isDid ? 'event' : chosen
  const listId = useId()
  const project = address.project ?? readShared()?.project ?? 'demo'
  const dated = { project, ...datedOf(address) }
  const isEvent = field === 'event'
  const property = oneSpelling(field)
  const answers = useAnswers({
    fields: call('GET /properties', dated),
    ...(isEvent || NO_VALUES.includes(field)
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
  // A share link takes no condition, so it filters by fields of events alone (U104).
  const isShared = !hasConditions(address)
  const ofOthers = isShared ? [] : [...IDS, ...SESSION_FIELDS]
  const chooseKind = (next: Kind) => {
    setKind(next)
    // What people look for first: sessions and visitors with an event of a name.
    setField('event')
    setOp('eq')
    setValue(isEvent ? value : '')
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (value === '') return
    if (isDid) add({ field: 'did', op: kind === 'did' ? 'eq' : 'neq', value })
    else add({ field, op, value, ...(kind !== 'event' && { of: kind }) })
    close()
  }
  return (
    <dialog ref={ref} class="filter-form" aria-labelledby={`${listId}-title`} onClose={close}>
      <h2 id={`${listId}-title`}>{title}</h2>
      <form onSubmit={submit}>
        {ofEvent === undefined && !isShared && (
          <label class="whole-row">
            Show
            <select value={kind} onChange={event => chooseKind(event.currentTarget.value as Kind)}>
              {Object.entries(KINDS).map(([each, words]) => (
                <option key={each} value={each}>
                  {words}
                </option>
              ))}
            </select>
          </label>
        )}
        {!isDid && (
          <>
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
                  ofOthers.map(id => (
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
          </>
        )}
        <label>
          {isDid ? 'Event' : 'Value'}
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
              {isEvent ? eventLabel(each.value) : field === 'country' ? countryName(each.value) : ''}
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
