import { marksOf } from '#dashboard/annotations'
import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { definitions } from '#dashboard/definitions'
import { bucketLabel, changeOf, datesLabel, formatted, headline, shortened } from '#dashboard/format'
import { go, hrefTo } from '#dashboard/navigate'
import { Change } from '#dashboard/parts/change.tsx'
import { EventChoice } from '#dashboard/parts/event-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { bucketsOf, hourNow, today, zoneOf } from '#dashboard/range'
import { eventLabel, visible } from '#dashboard/texts'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { RevenueByProperty, RevenueBySource } from './lists.tsx'
import { intervalOfSums, moneyEvent, type RevenueRequests, USUAL_EVENT } from './requests.ts'
import { type Currency, type Sum, sumsByCurrency, sumsByGroup } from './sums.ts'

type Props = ViewContext & { answers: AnswersOf<RevenueRequests> }
type Query = Answer<'POST /query'>

/** The own value `currency` of events that name none. */
const NO_CURRENCY = 'none'
const NOTHING: Sum = { sum: 0, count: 0 }

/** What visitors paid: over time, by where they came from and by what they bought, one currency at a time. */
export function Revenue({ address, project, answers }: Props) {
  const { totals, course, sources, names, received } = answers
  const event = moneyEvent(address)
  const events = names.data?.events.map(each => each.event) ?? []
  const keys = received.data?.properties.filter(each => each.event === event).map(({ key }) => key) ?? []
  return (
    <>
      <p class="choices">
        <EventChoice
          title="Sums of the event"
          none={eventLabel(USUAL_EVENT)}
          value={event === USUAL_EVENT ? '' : event}
          names={events.filter(name => name !== USUAL_EVENT)}
          choose={name =>
            go(withOwn(address, { event: name === '' ? [] : [name], currency: [], property: [] }))
          }
        />
      </p>
      <Answered answer={totals}>
        {data => {
          const sums = sumsByCurrency(data.rows)
          if (sums.size === 0) return <NoMoney event={event} />
          const currency = openCurrency(address, [...sums.keys()])
          const shown = { address, project, currency }
          return (
            <>
              <Totals {...shown} event={event} currencies={[...sums.keys()]} data={data} answer={totals} />
              <Answered answer={course}>
                {known => <Course {...shown} data={known} answer={course} />}
              </Answered>
              <RevenueBySource {...shown} answer={sources} />
              <RevenueByProperty {...shown} keys={keys} />
            </>
          )
        }}
      </Answered>
    </>
  )
}

function NoMoney({ event }: { event: string }) {
  return (
    <Empty title={`No ${eventLabel(event)} with a value in these dates`}>
      Send the amount as <code>value</code> and what it is in as <code>currency</code>, such as{' '}
      <code>
        aa.track('purchase', {'{'} value: 19.9, currency: 'EUR', product: 'mug' {'}'})
      </code>
      , or choose another event above.
    </Empty>
  )
}

/** The chosen currency, else that of the most events. */
function openCurrency(address: Address, known: readonly Currency[]): Currency {
  const asked = ownValue(address, 'currency')
  const place = known.findIndex(each => (each ?? NO_CURRENCY) === asked)
  return known[Math.max(0, place)] as Currency
}

type Shown = { address: Address; project: string; currency: Currency }

/** What stands behind a sum. */
function unitOf(currency: Currency): string {
  return currency === null ? '' : visible(currency)
}

function withUnit(text: string, currency: Currency): string {
  return [text, unitOf(currency)].filter(part => part !== '').join(' ')
}

type TotalsProps = Shown & {
  event: string
  currencies: readonly Currency[]
  data: Query
  answer: Known<Query>
}

/** The sum, how often and how much each time; the other currencies are a click away. */
function Totals({ address, currency, currencies, event, data, answer }: TotalsProps) {
  const { previous } = data
  const now = sumsByCurrency(data.rows).get(currency) ?? NOTHING
  const before = previous && (sumsByCurrency(previous.rows).get(currency) ?? NOTHING)
  const tabs = currencies.map((each, i) => ({
    title: each === null ? 'No currency' : visible(each),
    href: hrefTo(withOwn(address, { currency: i === 0 ? [] : [each ?? NO_CURRENCY] })),
    isOpen: each === currency,
  }))
  const average = ({ sum, count }: Sum) => (count === 0 ? null : Number((sum / count).toFixed(2)))
  const numbers = [
    { name: 'revenue', value: now.sum, earlier: before?.sum, isMoney: true },
    { name: 'paid_events', value: now.count, earlier: before?.count, isMoney: false },
    { name: 'average_value', value: average(now), earlier: before && average(before), isMoney: true },
  ] as const
  return (
    <Panel
      title="Revenue"
      wide
      {...(currencies.length > 1 && {
        tabs,
        note: 'One currency at a time: none is converted or added to another.',
      })}
    >
      <dl class="tiles" aria-label={`Revenue of ${eventLabel(event)}`}>
        {numbers.map(({ name, value, earlier, isMoney }) => (
          <div key={name} data-number={name}>
            <dt>{definitions[name].title}</dt>
            <dd>
              <Num name={name} answer={answer}>
                {isMoney ? withUnit(headline(value), currency) : headline(value)}
              </Num>
              {previous && value !== null && (
                <Change
                  change={changeOf(value, earlier)}
                  isGood
                  title={`${datesLabel(previous.period.from, previous.period.to)}: ${formatted(earlier)}`}
                  from={previous.period.from}
                  dataFrom={answer.receipt?.data_from}
                />
              )}
            </dd>
          </div>
        ))}
      </dl>
      <CutNote answer={answer} />
    </Panel>
  )
}

/** The sums of the chosen currency over time. */
function Course({ address, currency, data, answer }: Shown & { data: Query; answer: Known<Query> }) {
  const zone = zoneOf(address)
  const interval = intervalOfSums(address)
  const sums = sumsByGroup(data.rows, currency, row =>
    interval === 'hour' ? `${row.date}T${String(row.hour ?? '').padStart(2, '0')}:00` : String(row.date),
  )
  const now = `${today(zone)}T${String(hourNow(zone)).padStart(2, '0')}:00`
  const { from, to } = data.period
  const buckets = bucketsOf(from, to, interval).filter(each => each <= now)
  if (buckets.length < 2) return null
  const unit = unitOf(currency)
  const name = `Revenue by ${interval}`
  const values = buckets.map(bucket => sums.get(bucket)?.sum ?? 0)
  const table = {
    columns: [interval, 'Revenue', 'Events'],
    units: [undefined, unit === '' ? undefined : unit, undefined],
    rows: buckets.map((bucket, i) => [bucket, values[i] ?? 0, sums.get(bucket)?.count ?? 0]),
  }
  return (
    <Panel title={name} wide>
      <ChartFrame name={name} table={table}>
        <SeriesChart
          name={name}
          labels={buckets.map(each => ({ short: bucketLabel(each), long: bucketLabel(each, 'long') }))}
          lines={[{ name: 'Revenue', values }]}
          marks={marksOf(data.project_context, { buckets, to, zone })}
          format={value => withUnit(formatted(value), currency)}
          formatShort={value => shortened(value)}
        />
      </ChartFrame>
      <CutNote answer={answer} />
    </Panel>
  )
}
