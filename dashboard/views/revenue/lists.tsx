import { type Known, useAnswers } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import { NAMED_TABS, type NamedRow, type NamedTab, totalOfSources } from '#dashboard/named-sources'
import { go, hrefTo } from '#dashboard/navigate'
import { namedLabel } from '#dashboard/parts/named-label'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { valueLabel } from '#dashboard/texts'
import { type Address, ownValue, withFilter, withOwn } from '#dashboard/url'
import { bareKey, fieldOfKey } from '#schemas/property-names'
import { askValues, openTab } from './requests.ts'
import { type Currency, sumOfSource, sumsByGroup } from './sums.ts'

type Shown = { address: Address; project: string; currency: Currency }

const TABS: readonly NamedTab[] = ['source', 'channel', 'campaign', 'landing_page', 'referrer']

/** Which sources bring money, the most first. */
export function RevenueBySource({
  address,
  currency,
  answer,
}: Shown & { answer: Known<Answer<'GET /sources'>> }) {
  const tab = openTab(address)
  const { title } = NAMED_TABS[tab]
  const tabs = TABS.map((name, i) => ({
    title: NAMED_TABS[name].title,
    href: hrefTo(withOwn(address, { by: i === 0 ? [] : [name] })),
    isOpen: name === tab,
  }))
  const toRows = (rows: readonly NamedRow[]) => {
    const sums = rows.map(row => ({ row, sum: sumOfSource(row, currency) }))
    const most = Math.max(0, ...sums.map(({ sum }) => sum ?? 0))
    return sums
      .toSorted((a, b) => (b.sum ?? 0) - (a.sum ?? 0) || b.row.sessions - a.row.sessions)
      .map(
        ({ row, sum }): RankedRow => ({
          ...namedLabel(row, tab, address),
          share: most === 0 ? 0 : Math.max(0, sum ?? 0) / most,
          cells: [
            { value: sum, as: 'count', unit: currency },
            { value: row.conversions ?? 0, as: 'count' },
            { value: row.sessions, as: 'count' },
            { value: row.conversion_rate ?? 0, as: 'rate' },
          ],
        }),
      )
  }
  return (
    <Panel
      title="Where it came from"
      wide
      tabs={tabs}
      note="Of the sessions that began in these dates, by what brought them (last touch). What was paid in a session that began before them is in no row."
    >
      <Answered answer={answer}>
        {data =>
          data.rows.length === 0 ? (
            <Empty title="No session in these dates" />
          ) : (
            <>
              <Ranked
                name={`Revenue by ${title.toLowerCase()}`}
                columns={[title, 'Revenue', 'Sessions with it', 'Sessions', 'Rate']}
                rows={toRows(data.rows)}
                total={data.other === undefined ? undefined : totalOfSources(data)}
              />
              {data.other !== undefined && (
                <p class="cut">The {formatted(data.rows.length)} values with the most sessions.</p>
              )}
            </>
          )
        }
      </Answered>
    </Panel>
  )
}

/** Properties that usually name what was sold, the likeliest first. */
const PRODUCT_KEYS = ['product', 'product_name', 'product_id', 'item', 'item_name', 'item_id', 'sku', 'plan']

/**
 * Sums by the values of a property, such as the product: the own value `property`. `keys`: those that the
 * event has come with.
 */
export function RevenueByProperty({ keys, ...shown }: Shown & { keys: readonly string[] }) {
  const { address } = shown
  const asked = ownValue(address, 'property')
  const key = asked ?? PRODUCT_KEYS.find(each => keys.includes(each))
  return (
    <Panel
      title="What was bought"
      wide
      actions={
        <label class="choice">
          By property{' '}
          <select
            value={key ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go(withOwn(address, { property: value === '' ? [] : [value] }))
            }
          >
            <option value="">none</option>
            {[...new Set([...(key === undefined ? [] : [key]), ...keys])].map(each => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      }
    >
      {key === undefined ? (
        <Empty title="Which property names the product?">Choose it above.</Empty>
      ) : (
        <Values key={key} property={key} {...shown} />
      )}
    </Panel>
  )
}

function Values({ address, project, currency, property }: Shown & { property: string }) {
  const field = fieldOfKey(bareKey(property))
  const { values: answer } = useAnswers({ values: askValues({ address, project }, property) })
  return (
    <Answered answer={answer}>
      {({ rows }) => {
        const sums = sumsByGroup(rows, currency, row => {
          const value = row[field]
          return value === null || value === undefined ? null : String(value)
        })
        if (sums.size === 0) return <Empty title="Nothing in this currency" />
        const most = Math.max(0, ...[...sums.values()].map(({ sum }) => sum))
        const all = [...sums.values()].reduce((total, { sum }) => total + sum, 0)
        return (
          <>
            <Ranked
              name={`Revenue by ${property}`}
              columns={[property, 'Revenue', 'Events', 'Of all']}
              rows={[...sums].map(
                ([value, { sum, count }]): RankedRow => ({
                  key: String(value),
                  label: valueLabel(value),
                  title: valueLabel(value),
                  href: value === null ? undefined : hrefTo(withFilter(address, { field, op: 'eq', value })),
                  share: most === 0 ? 0 : Math.max(0, sum) / most,
                  cells: [
                    { value: sum, as: 'count', unit: currency },
                    { value: count, as: 'count' },
                    { value: all === 0 ? null : sum / all, as: 'rate' },
                  ],
                }),
              )}
            />
            <CutNote answer={answer} />
          </>
        )
      }}
    </Answered>
  )
}
