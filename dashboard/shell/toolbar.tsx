import { firstDateOf } from '#dashboard/answers'
import { datesLabel, formatted } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { titleOf } from '#dashboard/project-names'
import { zoneOfProject } from '#dashboard/project-zones'
import {
  allZones,
  comparedDates,
  type Dates,
  datesOf,
  daysBetween,
  PERIODS,
  readerZone,
  today,
  usualZone,
  zoneOf,
} from '#dashboard/range'
import { readShared } from '#dashboard/shared'
import { hasBots } from '#dashboard/shown-views'
import {
  type Address,
  AUDIENCES,
  type Audience,
  COMPARISONS,
  type DatePair,
  RANGE_LABELS,
  type Range,
  type RangeLabel,
} from '#dashboard/url'
import { shownRange, uses, type ViewRow, whyNot } from '#dashboard/views'

export const RANGE_NAMES: Record<RangeLabel, string> = {
  '1d': 'Today',
  '7d': 'Last 7 days',
  '14d': 'Last 14 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '365d': 'Last 365 days',
  yesterday: 'Yesterday',
  this_month: 'This month',
  last_month: 'Last month',
}
export const COMPARISON_NAMES: Record<(typeof COMPARISONS)[number], string> = {
  previous: 'Previous period',
  weekdays: 'Same weekdays',
  year: 'Previous year',
  none: 'No comparison',
}
export const AUDIENCE_NAMES: Record<Audience, string> = {
  people: 'People',
  agents: 'AI agents',
  bots: 'Bots',
}

/** Title of the view, and what holds for every view: range, comparison, audience, time zone. */
export function Toolbar({ address, row }: { address: Address; row: ViewRow }) {
  const { comparison, audience, tz, project, area } = address
  const zone = zoneOf(address)
  const shown = shownRange(row, address)
  const hasRange = shown !== null
  const hasDates = uses(row, 'dates', address)
  const hasComparison = hasRange && uses(row, 'comparison', address)
  // The dates that the numbers of this view have.
  const range = shown ?? address.range
  const dates = datesOf(range, zone)
  const compared = comparedDates(dates, comparison)
  const why = whyNot(row, address)
  const hasAudience =
    (project !== null || area !== 'account') && hasBots(address) && uses(row, 'audience', address)
  return (
    <div class="toolbar">
      <div class="title">
        {project !== null && <div class="printed">{titleOf(project)}</div>}
        <h1>{row.title}</h1>
        {hasRange && (
          <p>
            {datesLabel(dates.from, dates.to)}
            {hasComparison && compared !== null && <span> {comparedWords(address, dates, compared)}</span>}
          </p>
        )}
        {why !== undefined && <p class="why">{why}</p>}
      </div>
      <div class="controls">
        {hasAudience && (
          <div class="segments" role="group" aria-label="Whose traffic">
            {AUDIENCES.map(each => (
              <button
                key={each}
                type="button"
                aria-pressed={each === audience}
                onClick={() => go({ ...address, audience: each })}
              >
                {AUDIENCE_NAMES[each]}
              </button>
            ))}
          </div>
        )}
        {hasRange && <RangeChoice address={address} range={range} dates={dates} hasDates={hasDates} />}
        {hasComparison && <ComparisonChoice address={address} compared={compared} dates={dates} />}
        <label>
          <span class="hidden">Time zone</span>
          <select
            value={tz === null || zone === usualZone(address) ? '' : tz}
            onChange={event => go({ ...address, tz: event.currentTarget.value || null })}
          >
            {zonesFor(address).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
    </div>
  )
}

/** What stands beside the numbers: the service compares a day that goes on with a part of a day (U61). */
function comparedWords({ comparison, area }: Address, dates: Dates, compared: DatePair): string {
  const days = daysBetween(compared.from, compared.to) + 1
  const what = {
    previous: 'the dates before',
    weekdays: 'the same weekdays before',
    year: 'the same dates a year before',
    none: '',
    own: 'chosen dates',
  }[typeof comparison === 'string' ? comparison : 'own']
  const isCut = dates.isOpen && compared.to < dates.to && area !== 'share'
  return [
    `against ${what}, ${datesLabel(compared.from, compared.to)}`,
    ...(days === dates.days
      ? []
      : [` (${formatted(days)} ${days === 1 ? 'day' : 'days'} beside ${formatted(dates.days)})`]),
    ...(isCut ? [', up to this time of day'] : []),
  ].join('')
}

type RangeChoiceProps = {
  address: Address
  /** The range that the numbers of the view have. */
  range: Range
  dates: Dates
  /** The view counts any first and last date. */
  hasDates: boolean
}

/** The dates of the numbers: usual ones, all since the first event, or two dates. */
function RangeChoice({ address, range, dates, hasDates }: RangeChoiceProps) {
  const last = today(zoneOf(address))
  const first = firstDateOf(address.project ?? readShared()?.project ?? 'demo')
  const isAll = 'from' in range && range.from === first && range.to === last
  const choose = (value: string) => {
    if (value === 'custom') go({ ...address, range: { from: dates.from, to: dates.to } })
    else if (value === 'all' && first !== undefined) go({ ...address, range: { from: first, to: last } })
    else go({ ...address, range: { label: value as RangeLabel } })
  }
  return (
    <>
      <label>
        <span class="hidden">Range</span>
        <select
          value={'label' in range ? range.label : isAll ? 'all' : 'custom'}
          onChange={event => choose(event.currentTarget.value)}
        >
          {(hasDates ? RANGE_LABELS : PERIODS).map(label => (
            <option key={label} value={label}>
              {RANGE_NAMES[label]}
            </option>
          ))}
          {hasDates && first !== undefined && <option value="all">All time</option>}
          {hasDates && <option value="custom">Choose dates</option>}
        </select>
      </label>
      {'from' in range && (
        <DateInputs
          dates={range}
          last={last}
          names={['First date', 'Last date']}
          choose={chosen => go({ ...address, range: chosen }, true)}
        />
      )}
    </>
  )
}

type ComparisonChoiceProps = { address: Address; compared: DatePair | null; dates: Dates }

/** What the numbers are compared with: usual dates, dates of the reader's own, or nothing. */
function ComparisonChoice({ address, compared, dates }: ComparisonChoiceProps) {
  const { comparison } = address
  const own = typeof comparison === 'object' ? comparison : null
  const choose = (value: string) => {
    const known = COMPARISONS.find(each => each === value)
    const { from, to } = compared ?? (comparedDates(dates, 'previous') as DatePair)
    go({ ...address, comparison: known ?? { from, to } })
  }
  return (
    <>
      <label>
        <span class="hidden">Compare with</span>
        <select
          value={typeof comparison === 'string' ? comparison : 'own'}
          onChange={event => choose(event.currentTarget.value)}
        >
          {COMPARISONS.map(each => (
            <option key={each} value={each}>
              {COMPARISON_NAMES[each]}
            </option>
          ))}
          <option value="own">Compare with dates</option>
        </select>
      </label>
      {own !== null && (
        <DateInputs
          dates={own}
          last={today(zoneOf(address))}
          names={['First date to compare with', 'Last date to compare with']}
          choose={chosen => go({ ...address, comparison: chosen }, true)}
        />
      )}
    </>
  )
}

type DateInputsProps = {
  dates: DatePair
  /** The last date that may be chosen. */
  last: string
  names: readonly [first: string, last: string]
  choose(dates: DatePair): void
}

function DateInputs({ dates: { from, to }, last, names, choose }: DateInputsProps) {
  const set = (dates: DatePair) => {
    if (dates.from !== '' && dates.to !== '' && dates.from <= dates.to) choose(dates)
  }
  return (
    <span class="dates">
      <input
        type="date"
        aria-label={names[0]}
        value={from}
        max={to}
        onChange={event => set({ from: event.currentTarget.value, to })}
      />
      <input
        type="date"
        aria-label={names[1]}
        value={to}
        min={from}
        max={last}
        onChange={event => set({ from, to: event.currentTarget.value })}
      />
    </span>
  )
}

/**
 * The zone of the project first, then the reader's, UTC, and all others. A share link has the first alone.
 */
function zonesFor(address: Address): [value: string, name: string][] {
  const usual = usualZone(address)
  const reader = readerZone()
  const isOfProject = zoneOfProject(address) !== null
  const others = new Set([reader, 'UTC', ...(address.tz === null ? [] : [address.tz]), ...allZones()])
  others.delete(usual)
  const nameOf = (zone: string) => zone.replaceAll('_', ' ')
  const first: [string, string] = ['', isOfProject ? `${nameOf(usual)} (project)` : nameOf(usual)]
  if (address.area === 'share') return [first]
  return [
    first,
    ...[...others].map((zone): [string, string] => [
      zone,
      zone === reader ? `${nameOf(zone)} (yours)` : nameOf(zone),
    ]),
  ]
}
