import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { countryName } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { FilterForm } from '#dashboard/shell/filter-form.tsx'
import { OP_NAMES } from '#dashboard/shell/filter-words'
import { eventLabel, fieldLabel } from '#dashboard/texts'
import { type Address, withOwn } from '#dashboard/url'
import { bareKey, fieldOfKey, oneSpelling } from '#schemas/property-names'
import { AddField } from './add-field.tsx'
import { AddPage } from './add-page.tsx'
import { breakdownOf } from './requests.ts'
import { SavedFunnels } from './saved-funnels.tsx'
import {
  countByOf,
  DEFAULT_WINDOW,
  MAX_STEP_FILTERS,
  MAX_STEPS,
  moved,
  type Step,
  type StepFilter,
  WINDOWS,
  windowOf,
  withSteps,
} from './steps.ts'

type Properties = Answer<'GET /properties'>
type Props = {
  address: Address
  project: string
  steps: readonly Step[]
  events: Known<Properties>
  /** Saved views of the project; absent where a reader has none. */
  views?: Known<Answer<'GET /projects/{id}/views'>> | undefined
}

/** Events that are offered below the form. */
const SUGGESTED = 6

/** A condition of a step in words. */
export function conditionWords({ property, op, value }: StepFilter): string {
  const words = op === 'glob' ? 'is like' : OP_NAMES[op]
  return `${fieldLabel(property)} ${words} ${property === 'country' ? countryName(value) : value}`
}

/** The steps of a funnel, and how they are counted. Every change is another address. */
export function Builder({ address, project, steps, events, views }: Props) {
  const names = events.data?.events.map(({ event }) => event) ?? []
  const unused = names
    .filter(name => !name.startsWith('$') && !steps.some(({ event }) => event === name))
    .slice(0, SUGGESTED)
  const list = useRef<HTMLOListElement>(null)
  /** Where the focus goes once the steps are drawn again. */
  const focus = useRef<{ row: number; control: string } | null>(null)
  const [said, say] = useState('')
  useLayoutEffect(() => {
    if (focus.current === null) return
    const { row, control } = focus.current
    focus.current = null
    const found = list.current?.children[row]
    const wanted = found?.querySelector<HTMLElement>(`[data-control="${control}"]:not(:disabled)`)
    ;(wanted ?? found?.querySelector<HTMLElement>('select'))?.focus()
  }, [address])
  const set = (next: readonly Step[]) => go(withSteps(address, next))
  const move = (index: number, by: -1 | 1) => {
    focus.current = { row: index + by, control: by < 0 ? 'up' : 'down' }
    say(`${eventLabel(steps[index]?.event ?? '')} is step ${index + by + 1} of ${steps.length}`)
    set(moved(steps, index, by))
  }
  const remove = (index: number) => {
    focus.current = { row: Math.min(index, steps.length - 2), control: 'remove' }
    say(`${eventLabel(steps[index]?.event ?? '')} is no step any more`)
    set(steps.filter((_, i) => i !== index))
  }
  const change = (index: number, step: Step) => set(steps.map((each, i) => (i === index ? step : each)))
  const add = (step: Step) => {
    const words = step.filters.map(conditionWords)
    say(`${[eventLabel(step.event), ...words].join(', ')} is step ${steps.length + 1}`)
    set([...steps, step])
  }
  return (
    <Panel title="Steps">
      <ol class="steps" ref={list} aria-label="Steps of the funnel">
        {steps.map((step, i) => (
          <StepRow
            key={i}
            address={address}
            step={step}
            number={i + 1}
            isLast={i === steps.length - 1}
            names={names}
            change={next => change(i, next)}
            move={by => move(i, by)}
            remove={() => remove(i)}
          />
        ))}
      </ol>
      <p class="hidden" role="status">
        {said}
      </p>
      {steps.length < MAX_STEPS && (
        <>
          <AddStep names={names} unused={unused} add={event => add({ event, filters: [] })} />
          <AddPage address={address} project={project} add={add} />
        </>
      )}
      <Settings address={address} properties={events.data} />
      {views !== undefined && (
        <SavedFunnels address={address} project={project} isWhole={steps.length > 1} answer={views} />
      )}
    </Panel>
  )
}

type RowProps = {
  address: Address
  step: Step
  /** From 1. */
  number: number
  isLast: boolean
  names: readonly string[]
  change(step: Step): void
  move(by: -1 | 1): void
  remove(): void
}

function StepRow({ address, step, number, isLast, names, change, move, remove }: RowProps) {
  const [isOpen, setOpen] = useState(false)
  const { event, filters } = step
  return (
    <li>
      <div class="pick">
        <span class="index" aria-hidden="true">
          {number}
        </span>
        <select
          aria-label={`Event of step ${number}`}
          value={event}
          onChange={({ currentTarget: { value } }) => change({ event: value, filters: [] })}
        >
          {[...new Set([event, ...names])].map(name => (
            <option key={name} value={name}>
              {eventLabel(name)}
            </option>
          ))}
        </select>
        <StepButton control="up" label={`Move step ${number} up`} isOff={number === 1} press={() => move(-1)}>
          ↑
        </StepButton>
        <StepButton control="down" label={`Move step ${number} down`} isOff={isLast} press={() => move(1)}>
          ↓
        </StepButton>
        <StepButton control="remove" label={`Remove step ${number}`} press={remove}>
          ×
        </StepButton>
      </div>
      <div class="filters">
        {filters.map((filter, i) => (
          <span class="chip" key={conditionWords(filter)}>
            {conditionWords(filter)}
            <button
              type="button"
              aria-label={`Remove the condition: ${conditionWords(filter)}`}
              onClick={() => change({ event, filters: filters.filter((_, j) => j !== i) })}
            >
              ×
            </button>
          </span>
        ))}
        {filters.length < MAX_STEP_FILTERS && (
          <button
            type="button"
            class="add"
            aria-label={`Add a condition to step ${number}`}
            onClick={() => setOpen(true)}
          >
            + Condition
          </button>
        )}
      </div>
      {isOpen && (
        <FilterForm
          address={address}
          title={`Step ${number}: only where`}
          event={event}
          add={({ field, op, value }) =>
            change({
              event,
              filters: [...filters, { property: oneSpelling(field), op, value }],
            })
          }
          close={() => setOpen(false)}
        />
      )}
    </li>
  )
}

type ButtonProps = { control: string; label: string; isOff?: boolean; press(): void; children: string }

function StepButton({ control, label, isOff = false, press, children }: ButtonProps) {
  return (
    <button
      type="button"
      class="quiet"
      data-control={control}
      aria-label={label}
      disabled={isOff}
      onClick={press}
    >
      {children}
    </button>
  )
}

type AddProps = { names: readonly string[]; unused: readonly string[]; add(event: string): void }

/** Any name is taken: an event may be new, or older than the range. */
function AddStep({ names, unused, add }: AddProps) {
  return (
    <>
      <AddField
        label="Event of a further step"
        button="Add step"
        placeholder="Name of an event"
        maxLength={256}
        offered={names.map(value => ({ value, label: eventLabel(value) }))}
        add={add}
      />
      {unused.length > 0 && (
        <div class="filters suggested" role="group" aria-label="Suggested steps">
          {unused.map(name => (
            <button key={name} type="button" class="add" onClick={() => add(name)}>
              + {eventLabel(name)}
            </button>
          ))}
        </div>
      )}
    </>
  )
}

function Settings({ address, properties }: { address: Address; properties: Properties | undefined }) {
  const chosen = windowOf(address)
  const windows = [...new Set([...WINDOWS, chosen])].toSorted((a, b) => a - b)
  const breakdown = breakdownOf(address) ?? ''
  const named = (properties?.property_keys ?? []).map(key => oneSpelling(fieldOfKey(bareKey(key))))
  const keys = [...new Set(['country', ...named, breakdown])].filter(Boolean)
  const own = (name: string, value: string, preset: string) =>
    go(withOwn(address, { [name]: value === preset ? [] : [value], lost: [], reached: [] }))
  return (
    <div class="settings-row">
      <label>
        Within
        <select
          value={String(chosen)}
          onChange={({ currentTarget: { value } }) => own('window', value, String(DEFAULT_WINDOW))}
        >
          {windows.map(hours => (
            <option key={hours} value={String(hours)}>
              {hoursLabel(hours)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Count
        <select
          value={countByOf(address)}
          onChange={({ currentTarget: { value } }) => own('by', value, 'user_id')}
        >
          <option value="user_id">Visitors</option>
          {address.area !== 'share' && <option value="session_id">Sessions</option>}
        </select>
      </label>
      <label>
        Broken down by
        <select value={breakdown} onChange={({ currentTarget: { value } }) => own('breakdown', value, '')}>
          <option value="">nothing</option>
          {keys.map(key => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** `7 days`, in the reader's language. */
export function hoursLabel(hours: number): string {
  const [value, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour']
  return new Intl.NumberFormat(undefined, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}
