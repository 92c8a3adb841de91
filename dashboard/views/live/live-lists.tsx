import type { Answer } from '#dashboard/api'
import { type Bar, Bars } from '#dashboard/charts/bars.tsx'
import { countryName, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Empty } from '#dashboard/parts/states.tsx'
import { eventLabel, pathLabel, visible } from '#dashboard/texts'
import { type Address, DEFAULTS, type Filter, withFilter } from '#dashboard/url'

type Data = Answer<'GET /live'>

/** Countries that are shown: everybody of some minutes may come from as many as there are. */
const MAX_COUNTRIES = 10

/** Where people are now, what they do, and where they come from. Each leads to the same of today. */
export function LiveLists({ address, data }: { address: Address; data: Data }) {
  const today = (view: string, filter: Filter) =>
    hrefTo(withFilter({ ...address, view, range: { label: '1d' }, own: DEFAULTS.own }, filter))
  const pages = data.top_pages.map(({ path, visitors }) => ({
    ...{ key: path, label: pathLabel(path), title: visible(path), value: visitors },
    href: today('overview', { field: 'properties.path', op: 'eq', value: path }),
  }))
  const events = data.top_events.map(({ event, count }) => ({
    ...{ key: event, label: eventLabel(event), title: visible(event), value: count },
    href: today('overview', { field: 'event', op: 'eq', value: event }),
  }))
  const countries = data.countries.map(({ country, visitors }) => ({
    ...{ key: country, label: countryName(country), title: country, value: visitors },
    href: today('overview', { field: 'country', op: 'eq', value: country }),
  }))
  return (
    <div class="stack">
      <List title="Pages" name="Pages by active visitors" columns={['Path', 'Visitors']} bars={pages} />
      <List title="Events" name="Events by number" columns={['Event', 'Events']} bars={events} />
      <List
        title="Countries"
        name="Countries by active visitors"
        columns={['Country', 'Visitors']}
        bars={countries.slice(0, MAX_COUNTRIES)}
        rest={Math.max(0, countries.length - MAX_COUNTRIES)}
      />
    </div>
  )
}

type ListProps = {
  title: string
  name: string
  columns: [string, string]
  bars: readonly Bar[]
  rest?: number
}

function List({ title, name, columns, bars, rest = 0 }: ListProps) {
  return (
    <Panel title={title}>
      {bars.length === 0 ? (
        <Empty title="None now" />
      ) : (
        <Bars name={name} columns={columns} bars={bars} format={value => formatted(value)} />
      )}
      {rest > 0 && <p class="cut">And {formatted(rest)} more.</p>}
    </Panel>
  )
}
