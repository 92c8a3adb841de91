import type { Answer } from '#dashboard/api'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import { NAMED_TABS, type NamedRow, type NamedTab } from '#dashboard/named-sources'
import { namedLabel } from '#dashboard/parts/named-label'
import { Empty } from '#dashboard/parts/states.tsx'
import type { Address } from '#dashboard/url'

type Data = Answer<'GET /sources'>
type NamedSourcesProps = { data: Data; tab: NamedTab; address: Address }

/** Sessions by channel, source or landing page, with what they came to do where a goal is chosen. */
export function NamedSources({ data: { rows, total, other, goal }, tab, address }: NamedSourcesProps) {
  if (total.sessions === 0) return <Empty title="No sessions in this range" />
  const most = rows[0]?.sessions ?? 0
  const money = rows.some(({ sum_value }) => (sum_value ?? null) !== null)
  const ofGoal = goal === null ? [] : ['Converted', 'Rate', ...(money ? ['Value'] : [])]
  return (
    <>
      <Ranked
        name={`Sessions by ${NAMED_TABS[tab].title.toLowerCase()}`}
        columns={[
          NAMED_TABS[tab].title,
          'Sessions',
          'Visitors',
          'Without interaction',
          'Duration',
          ...ofGoal,
        ]}
        rows={rows.map(row => ({
          ...namedLabel(row, tab, address),
          share: most === 0 ? 0 : row.sessions / most,
          cells: [
            { value: row.sessions, as: 'count' as const },
            { value: row.people, as: 'count' as const },
            { value: row.bounce_rate, as: 'rate' as const },
            { value: row.avg_duration, as: 'duration' as const },
            ...(goal === null
              ? []
              : [
                  { value: row.conversions ?? 0, as: 'count' as const },
                  { value: row.conversion_rate ?? 0, as: 'rate' as const },
                  ...(money ? [moneyOf(row)] : []),
                ]),
          ],
        }))}
      />
      <p class="cut">
        {formatted(total.sessions)} sessions of {formatted(total.people)} visitors
        {other !== undefined &&
          `; ${formatted(other.values)} more values with ${formatted(other.sessions)} sessions are not listed`}
        .
      </p>
    </>
  )
}

function moneyOf({ sum_value, currency }: NamedRow): string {
  const sum = formatted(sum_value)
  return currency === null || currency === undefined ? sum : `${sum} ${currency}`
}
