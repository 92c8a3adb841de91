import { datesLabel } from '#dashboard/format'
import { go } from '#dashboard/navigate'
import { titleOf } from '#dashboard/project-names'
import { zoneOfProject } from '#dashboard/project-zones'
import {
  allZones,
  comparedDates,
  datesOf,
  PERIODS,
  readerZone,
  today,
  usualZone,
  zoneOf,
} from '#dashboard/range'
import { hasBots } from '#dashboard/shown-views'
import {
  type Address,
  AUDIENCES,
  type Audience,
  COMPARISONS,
  type Comparison,
  RANGE_LABELS,
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
}
export const COMPARISON_NAMES: Record<Comparison, string> = {
  previous: 'Previous period',
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
  const isCustom = 'from' in range
  const why = whyNot(row, address)
  const hasAudience =
    (project !== null || area !== 'account') && hasBots(address) && uses(row, 'audience', address)

  const choose = (value: string) => {
    if (value === 'custom') go({ ...address, range: { from: dates.from, to: dates.to } })
    else go({ ...address, range: { label: value as RangeLabel } })
  }
  const setDates = (from: string, to: string) => {
    if (from !== '' && to !== '' && from <= to) go({ ...address, range: { from, to } }, true)
  }

  return (
    <div class="toolbar">
      <div class="title">
        {project !== null && <div class="printed">{titleOf(project)}</div>}
        <h1>{row.title}</h1>
        {hasRange && (
          <p>
            {datesLabel(dates.from, dates.to)}
            {hasComparison && compared !== null && (
              <span> against {datesLabel(compared.from, compared.to)}</span>
            )}
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
        {hasRange && (
          <label>
            <span class="hidden">Range</span>
            <select
              value={isCustom ? 'custom' : range.label}
              onChange={event => choose(event.currentTarget.value)}
            >
              {(hasDates ? RANGE_LABELS : PERIODS).map(label => (
                <option key={label} value={label}>
                  {RANGE_NAMES[label]}
                </option>
              ))}
              {hasDates && <option value="custom">Choose dates</option>}
            </select>
          </label>
        )}
        {hasRange && isCustom && (
          <span class="dates">
            <input
              type="date"
              aria-label="First date"
              value={range.from}
              max={range.to}
              onChange={event => setDates(event.currentTarget.value, range.to)}
            />
            <input
              type="date"
              aria-label="Last date"
              value={range.to}
              min={range.from}
              max={today(zone)}
              onChange={event => setDates(range.from, event.currentTarget.value)}
            />
          </span>
        )}
        {hasComparison && (
          <label>
            <span class="hidden">Compare with</span>
            <select
              value={comparison}
              onChange={event => go({ ...address, comparison: event.currentTarget.value as Comparison })}
            >
              {COMPARISONS.map(each => (
                <option key={each} value={each}>
                  {COMPARISON_NAMES[each]}
                </option>
              ))}
            </select>
          </label>
        )}
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

/** The zone of the project first, then the reader's, UTC, and all others. A share link has the first alone. */
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
