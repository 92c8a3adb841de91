import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { type Bar, Bars } from '#dashboard/charts/bars.tsx'
import { countryName, formatted } from '#dashboard/format'
import {
  type Conversion,
  conversionColumns,
  conversionNote,
  conversionOf,
  goalLabel,
  goalSessions,
  goalTitle,
  goalVisitors,
  isPage,
  openGoal,
} from '#dashboard/goal'
import { isNamed, NAMED_TABS, type NamedRow, totalOfSources } from '#dashboard/named-sources'
import { go, hrefTo } from '#dashboard/navigate'
import { CountryMap } from '#dashboard/parts/country-map.tsx'
import { namedLabel } from '#dashboard/parts/named-label'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { ValueIcon } from '#dashboard/parts/value-icon.tsx'
import { MAX_ROWS, wholeOf, withoutRest } from '#dashboard/parts/whole'
import { fromOutside, shortAddress } from '#dashboard/referrers'
import { eventLabel, pathLabel, valueLabel, visible } from '#dashboard/texts'
import { type Address, withFilter, withOwn } from '#dashboard/url'
import { fieldOf, LIST_LENGTH, type ListName, lists, openTab, tabsOf } from './requests.ts'

type Query = Answer<'POST /query'>
type Row = Query['rows'][number]
type Props = {
  name: ListName | 'events'
  address: Address
  answer: Known<Query> | undefined
  /** The hosts of the site, for the list of referrers. */
  hosts?: readonly Row[] | undefined
}

/** Values of a field by visitors. A click on a value shows only its events, in every view. */
export function ListPanel({ name, address, answer, hosts }: Props) {
  const tab = name === 'events' ? 'event' : openTab(address, name)
  const title = name === 'events' ? 'Events' : lists[name].title
  const tabs = name === 'events' ? undefined : tabLinks(address, name)
  if (answer === undefined) return null
  // More rows are asked for than the list shows.
  const hasAll = name === 'events' || tab === 'country'
  const field = tab === 'event' ? 'event' : fieldOf(tab)
  const rowsOf = (rows: readonly Row[], most = LIST_LENGTH) =>
    tab === 'referrer' ? fromOutside(rows, most, hosts) : withoutRest(rows).slice(0, most)
  const goal = openGoal(address)
  const conversionAt = (row: Row) =>
    goal === undefined ? null : conversionOf(row[goalVisitors(goal)], row.unique_users)
  const did = goal === undefined ? [] : conversionColumns(goalTitle(goal))
  const tableOf = (rows: readonly Row[]) => ({
    columns: [columnName(tab), 'Visitors', 'Events', ...did],
    ...(goal !== undefined && { units: CONVERSION_UNITS }),
    rows: rows.map(row => [
      ...[String(row[field] ?? ''), Number(row.unique_users), Number(row.event_count)],
      ...plainConversion(conversionAt(row)),
    ]),
  })
  return (
    <Panel title={title} {...(tabs === undefined ? {} : { tabs })}>
      <Answered answer={answer}>
        {data => {
          const rows = rowsOf(data.rows)
          const all = withoutRest(data.rows).length
          const bars = rows.map(row => {
            const conversion = conversionAt(row)
            return {
              ...barOf(row, field, address),
              ...(conversion !== null && { note: conversionNote(conversion) }),
            }
          })
          if (bars.length === 0) return <Empty title="Nothing in this range" />
          return (
            <>
              {tab === 'country' && <VisitorMap rows={withoutRest(data.rows)} address={address} />}
              <Bars
                name={`${title} by visitors`}
                columns={[columnName(tab), goal === undefined ? 'Visitors' : 'Visitors, did it']}
                bars={bars}
                format={value => formatted(value)}
                table={tableOf(hasAll ? rowsOf(data.rows, all) : rows)}
                load={wholeOf(answer, whole => tableOf(rowsOf(whole.rows, MAX_ROWS)).rows)}
              />
              {tab !== 'referrer' && <CutNote answer={answer} shown={rows.length} />}
              {hasAll && data.truncated !== true && all > rows.length && (
                <p class="cut">
                  The first {formatted(rows.length)} of {formatted(all)} rows.
                </p>
              )}
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

/** Visitors by country as a picture. A click chooses a country, as its row of the list does. */
function VisitorMap({ rows, address }: { rows: readonly Row[]; address: Address }) {
  const values = new Map(rows.map(({ country, unique_users }) => [String(country), Number(unique_users)]))
  return (
    <CountryMap
      name="Map of visitors by country. The list below has the numbers."
      values={values}
      label={(code, visitors) => `${countryName(code)}: ${formatted(visitors)}`}
      choose={code => go(withFilter(address, { field: 'country', op: 'eq', value: code }))}
    />
  )
}

/** Where sessions came from, as the service names it. A click shows only their events, in every view. */
export function SourcesPanel({
  address,
  answer,
  rates,
}: {
  address: Address
  answer: Known<Answer<'GET /sources'>> | undefined
  /** Sessions with a goal that is a page. */
  rates: Known<Query> | undefined
}) {
  const tab = openTab(address, 'sources')
  if (answer === undefined || !isNamed(tab)) return null
  const { title } = NAMED_TABS[tab]
  const goal = openGoal(address)
  const conversionAt = ({ value, sessions, conversions }: NamedRow): Conversion | null => {
    if (goal === undefined) return null
    if (!isPage(goal)) return conversionOf(conversions, sessions)
    const row = rates?.data?.rows.find(each => !each.other && (each[NAMED_TABS[tab].group] ?? null) === value)
    return conversionOf(row?.[goalSessions(goal)], row?.session_count)
  }
  const did = goal === undefined ? [] : conversionColumns(`With ${goalLabel(goal)}`)
  const tableRows = (rows: readonly NamedRow[]) =>
    rows.map(row => [
      ...[namedLabel(row, tab, address).title, row.sessions, row.people],
      ...plainConversion(conversionAt(row)),
    ])
  return (
    <Panel title="Sources" tabs={tabLinks(address, 'sources')}>
      <Answered answer={answer}>
        {({ rows, other }) => {
          if (rows.length === 0) return <Empty title="No session in this range" />
          return (
            <>
              <Bars
                name={`Sessions by ${title.toLowerCase()}`}
                columns={[title, goal === undefined ? 'Sessions' : 'Sessions, with it']}
                bars={rows.map(row => {
                  const conversion = conversionAt(row)
                  return {
                    ...namedLabel(row, tab, address),
                    value: row.sessions,
                    ...(conversion !== null && { note: conversionNote(conversion) }),
                  }
                })}
                format={value => formatted(value)}
                table={{
                  columns: [title, 'Sessions', 'Visitors', ...did],
                  ...(goal !== undefined && { units: CONVERSION_UNITS }),
                  rows: tableRows(rows),
                }}
                load={wholeOf(answer, whole => tableRows(whole.rows), totalOfSources)}
              />
              {other !== undefined && (
                <p class="cut">
                  The first {formatted(rows.length)} of {formatted(rows.length + other.values)}.
                </p>
              )}
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

/** Of the columns of a list with a goal. */
const CONVERSION_UNITS = [undefined, undefined, undefined, undefined, '0 to 1']

function plainConversion(conversion: Conversion | null): (number | null)[] {
  return conversion === null ? [] : [conversion.did, conversion.rate]
}

function tabLinks(address: Address, name: ListName) {
  const open = openTab(address, name)
  return Object.entries(tabsOf(address, name)).map(([key, title], i) => ({
    title,
    href: hrefTo(withOwn(address, { [name]: i === 0 ? [] : [key] })),
    isOpen: key === open,
  }))
}

function barOf(row: Row, field: string, address: Address): Bar {
  const value = row[field]
  const text = value === null || value === undefined ? null : String(value)
  const label = labelOf(field, text)
  return {
    key: String(text),
    label: (
      <>
        <ValueIcon field={field} value={text} />
        {label}
      </>
    ),
    title: text === null || text === '' ? label : visible(text),
    value: Number(row.unique_users),
    href: text === null ? undefined : hrefTo(withFilter(address, { field, op: 'eq', value: text })),
  }
}

function labelOf(field: string, text: string | null): string {
  if (field === 'country') return countryName(text)
  if (field === 'event' && text !== null) return eventLabel(text)
  if (field === 'properties.path') return pathLabel(text)
  if (field === 'properties.referrer' && text !== null) return shortAddress(text)
  return valueLabel(text)
}

function columnName(tab: string): string {
  if (tab === 'event') return 'Event'
  for (const { tabs } of Object.values(lists)) {
    const name = (tabs as Record<string, string>)[tab]
    if (name !== undefined) return name
  }
  return tab
}
