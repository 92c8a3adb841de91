import { useMemo } from 'preact/hooks'
import { marksOf } from '#dashboard/annotations'
import { type AnswersOf, type Known, refresh } from '#dashboard/answers'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { definitions, type NumberName } from '#dashboard/definitions'
import { bucketLabel, changeOf, formatted, headline, shortened } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Change } from '#dashboard/parts/change.tsx'
import { FirstEvent } from '#dashboard/parts/first-event.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, CutNote, Empty, ProblemNote } from '#dashboard/parts/states.tsx'
import { datesOf, today, zoneOf } from '#dashboard/range'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import type { OverviewAsks } from './asks.ts'
import { BotOverview } from './bot-overview.tsx'
import { ListPanel, SourcesPanel } from './list-panel.tsx'
import { fromQueries, fromStats, type Now, type OverviewNumbers, withSinglePages } from './model.ts'

type Props = ViewContext & { answers: AnswersOf<OverviewAsks> }

const TILES = ['visitors', 'sessions', 'events', 'bounce_rate', 'single_page_rate', 'duration'] as const

/** The first look at a project: six numbers, their course, and where they come from. */
export function Overview({ address, answers }: Props) {
  const { bots, stats, totals } = answers
  if (bots !== undefined) return <BotOverview address={address} answer={bots} />
  const main = (stats ?? totals) as Known | undefined
  const hasNothing =
    main?.data !== undefined && address.filters.length === 0 && main.receipt?.data_from === null
  return (
    <>
      {main !== undefined && (
        <Answered answer={main}>{() => <Numbers address={address} answers={answers} main={main} />}</Answered>
      )}
      {!hasNothing && (
        <div class="panels">
          <ListPanel name="pages" address={address} answer={answers.pages} />
          <SourcesPanel address={address} answer={answers.named} />
          <ListPanel
            name="sources"
            address={address}
            answer={answers.sources}
            hosts={answers.hosts?.data?.rows}
          />
          <ListPanel name="places" address={address} answer={answers.places} />
          <ListPanel name="devices" address={address} answer={answers.devices} />
          <ListPanel name="events" address={address} answer={answers.events} />
        </div>
      )}
    </>
  )
}

function Numbers({ address, answers, main }: Pick<Props, 'address' | 'answers'> & { main: Known }) {
  const zone = zoneOf(address)
  const { stats, statsBefore, single, totals, series, totalsBefore, seriesBefore } = answers
  const parts = [
    stats?.data,
    statsBefore?.data,
    totals?.data,
    series?.data,
    totalsBefore?.data,
    seriesBefore?.data,
  ] as const
  const numbers = useMemo(() => {
    const now: Now = { date: today(zone), hour: hourNow(zone) }
    const [ofStats, ofStatsBefore, ofTotals, ofSeries, earlierTotals, earlierSeries] = parts
    if (ofStats && (ofStatsBefore || !statsBefore)) return fromStats(ofStats, now, ofStatsBefore)
    if (!ofTotals || !ofSeries) return null
    return fromQueries(
      { totals: ofTotals, series: ofSeries, totalsBefore: earlierTotals, seriesBefore: earlierSeries },
      now,
    )
  }, [...parts, zone])
  if (numbers === null) {
    const problem = series?.problem ?? statsBefore?.problem
    return problem ? <ProblemNote problem={problem} /> : <div class="skeleton" aria-busy="true" />
  }
  if (numbers.totals.events === 0) return <NoData address={address} main={main} />
  const context = stats?.data?.project_context ?? totals?.data?.project_context
  return (
    <>
      <Tiles numbers={withSinglePages(numbers, single?.data)} main={main} single={single ?? main} />
      {numbers.totals.bounce_rate === 1 && <OnlyViews />}
      {/* A share link with filters knows dates alone, and one date is no course. */}
      {numbers.buckets.length > 1 && (
        <Course address={address} numbers={numbers} context={context} main={series ?? stats} />
      )}
      <CutNote answer={main} />
    </>
  )
}

/** A site that sends page views alone knows no interaction, so the rate says nothing about its visitors. */
function OnlyViews() {
  return (
    <p class="cut">
      Only page views have arrived, so every session counts as one without interaction. Send an event for what
      visitors should do, such as <code>aa.track('signup')</code> in the page.
    </p>
  )
}

type TilesProps = {
  numbers: OverviewNumbers
  main: Known
  /** The answer that has `single_page_rate`. */
  single: Known
}

function Tiles({ numbers: { totals, before, beforeFrom }, main, single }: TilesProps) {
  return (
    <dl class="tiles">
      {TILES.map(name => {
        const { title, as, isGood } = definitions[name]
        const [value, earlier] = [totals[name], before?.[name]]
        const answer = name === 'single_page_rate' ? single : main
        return (
          <div key={name} data-number={name}>
            <dt>{title}</dt>
            <dd>
              <Num name={name} answer={answer}>
                {headline(value, as)}
              </Num>
              {beforeFrom !== null && value !== null && earlier !== null && (
                <Change
                  change={changeOf(value, earlier)}
                  isGood={isGood}
                  title={`Before: ${formatted(earlier, as)}`}
                  from={beforeFrom}
                  dataFrom={answer.receipt?.data_from}
                />
              )}
            </dd>
          </div>
        )
      })}
    </dl>
  )
}

type CourseProps = {
  address: Address
  numbers: OverviewNumbers
  context: Parameters<typeof marksOf>[0]
  main: Known | undefined
}

const COURSES = ['visitors', 'events'] as const

/** One of the numbers over time, beside the time before. */
function Course({ address, numbers, context, main }: CourseProps) {
  const { buckets, to, interval, now, earlier } = numbers
  const asked = ownValue(address, 'course')
  const course = COURSES.find(each => each === asked) ?? 'visitors'
  const { title } = definitions[course as NumberName]
  const zone = zoneOf(address)
  const isUnfinished = datesOf(address.range, zone).isOpen
  const labels = useMemo(() => {
    const last = isUnfinished ? now.events.findLastIndex(value => value !== null) : -1
    return buckets.map((each, i) => ({
      short: bucketLabel(each),
      long: `${bucketLabel(each, 'long')}${i === last ? ', so far' : ''}`,
    }))
  }, [buckets, now, isUnfinished])
  const lines = useMemo(
    () => [
      ...(earlier === null ? [] : [{ name: 'Before', values: earlier[course], isBefore: true }]),
      { name: title, values: now[course], isUnfinished },
    ],
    [now, earlier, course, title, isUnfinished],
  )
  const marks = useMemo(() => marksOf(context, { buckets, to, zone }), [context, buckets, to, zone])
  const name = `${title} by ${interval}`
  const table = {
    columns: [interval, title, ...(earlier === null ? [] : ['Before'])],
    rows: buckets.map((bucket, i) => [
      bucket,
      now[course][i],
      ...(earlier === null ? [] : [earlier[course][i]]),
    ]),
  }
  return (
    <section class="panel wide" aria-label={name} data-asked={main?.call.endpoint}>
      <header>
        <h2>{title}</h2>
        <nav aria-label="Choose the line">
          {COURSES.map(each => (
            <a
              key={each}
              href={hrefTo(withOwn(address, { course: each === 'visitors' ? [] : [each] }))}
              aria-current={each === course ? 'true' : undefined}
            >
              {definitions[each].title}
            </a>
          ))}
        </nav>
      </header>
      <ChartFrame
        name={name}
        table={table}
        legend={
          earlier !== null && (
            <span class="legend">
              <i class="now" /> {title} <i class="before" /> Before
            </span>
          )
        }
      >
        <SeriesChart name={name} labels={labels} lines={lines} marks={marks} format={shortened} />
      </ChartFrame>
    </section>
  )
}

function NoData({ address, main }: { address: Address; main: Known }) {
  const from = main.receipt?.data_from
  if (address.filters.length > 0)
    return <Empty title="No event matches the filters">Remove one of them, or choose a longer range.</Empty>
  if (!from) {
    if (address.area === 'account' && address.project !== null)
      return (
        <FirstEvent
          project={address.project}
          next={<p>The numbers follow in a moment.</p>}
          onSeen={refresh}
        />
      )
    return <Empty title="No event has arrived yet" />
  }
  const whole: Address = { ...address, range: { from, to: today(zoneOf(address)) } }
  return (
    <Empty title="No events in this range">
      The first event is of {bucketLabel(from, 'long')}.{' '}
      <a href={hrefTo(whole)}>Show everything since then</a>
    </Empty>
  )
}

function hourNow(zone: string): number {
  return Number(
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', hourCycle: 'h23' }).format(
      Date.now(),
    ),
  )
}
