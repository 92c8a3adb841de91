import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { type Bar, Bars } from '#dashboard/charts/bars.tsx'
import { countryName, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { fromOutside, shortAddress } from '#dashboard/referrers'
import { type Address, withFilter, withOwn } from '#dashboard/url'
import { fieldOf, type ListName, lists, openTab } from './asks.ts'

type Query = Answer<'POST /query'>
type Row = Query['rows'][number]
type Props = {
  name: ListName | 'events'
  address: Address
  answer: Known<Query> | undefined
  /** The hosts of the site, for the list of referrers. */
  hosts?: readonly Row[] | undefined
}

const SHOWN = 10

/** Values of a field by visitors. A click on a value shows only its events, in every view. */
export function ListPanel({ name, address, answer, hosts }: Props) {
  const tab = name === 'events' ? 'event' : openTab(address, name)
  const title = name === 'events' ? 'Events' : lists[name].title
  const tabs =
    name === 'events'
      ? undefined
      : Object.entries(lists[name].tabs).map(([key, label], i) => ({
          title: label,
          href: hrefTo(withOwn(address, { [name]: i === 0 ? [] : [key] })),
          isOpen: key === tab,
        }))
  if (answer === undefined) return null
  const field = tab === 'event' ? 'event' : fieldOf(tab)
  const rowsOf = (rows: readonly Row[]) =>
    tab === 'referrer' ? fromOutside(rows, SHOWN, hosts) : rows.filter(row => row.other !== true)
  const tableOf = (rows: readonly Row[]) => ({
    columns: [columnName(tab), 'Visitors', 'Events'],
    rows: rows.map(row => [String(row[field] ?? ''), Number(row.unique_users), Number(row.event_count)]),
  })
  return (
    <Panel title={title} {...(tabs === undefined ? {} : { tabs })}>
      <Answered answer={answer}>
        {data => {
          const rows = rowsOf(data.rows)
          const bars = rows.map(row => barOf(row, field, address))
          if (bars.length === 0) return <Empty title="Nothing in this range" />
          return (
            <>
              <Bars
                name={`${title} by visitors`}
                columns={[columnName(tab), 'Visitors']}
                bars={bars}
                format={value => formatted(value)}
                table={tableOf(rows)}
              />
              {tab !== 'referrer' && <CutNote answer={answer} />}
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

function barOf(row: Row, field: string, address: Address): Bar {
  const value = row[field]
  const text = value === null || value === undefined ? null : String(value)
  const label = labelOf(field, text)
  return {
    key: `${text} ${row['properties.hostname'] ?? ''}`,
    label,
    title: text ?? label,
    value: Number(row.unique_users),
    href: text === null ? undefined : hrefTo(withFilter(address, { field, op: 'eq', value: text })),
  }
}

function labelOf(field: string, text: string | null): string {
  if (field === 'country') return countryName(text)
  if (text === null) return '(not set)'
  if (field === 'properties.referrer') return shortAddress(text)
  return text === '' ? '(empty)' : text
}

function columnName(tab: string): string {
  if (tab === 'event') return 'Event'
  for (const { tabs } of Object.values(lists)) {
    const name = (tabs as Record<string, string>)[tab]
    if (name !== undefined) return name
  }
  return tab
}
