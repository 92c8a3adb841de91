import { useMemo } from 'preact/hooks'
import { marksOf } from '#dashboard/annotations'
import { type AnswersOf, type Known, refresh } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { definitions } from '#dashboard/definitions'
import {
  bucketLabel,
  changeOf,
  datesLabel,
  durationUnit,
  formatted,
  headline,
  shortened,
} from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Change } from '#dashboard/parts/change.tsx'
import { FirstEvent } from '#dashboard/parts/first-event.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { whyNoChange } from '#dashboard/parts/why-no-change'
import { datesOf, hourNow, today, zoneOf } from '#dashboard/range'
import { type Address, type DatePair, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { BotOverview } from './bot-overview.tsx'
import { Goals } from './goals.tsx'
import { columnOfStats, LINES, type Line, openLine } from './lines.ts'
import { ListPanel, SourcesPanel } from './list-panel.tsx'
import {
  type Course,
  courseOfQuery,
  courseOfStats,
  fromQuery,
  fromStats,
  type Now,
  type OverviewNumbers,
} from './model.ts'
import { lineInterval, type OverviewRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<OverviewRequests> }

/** The first look at a project: its numbers, one of them over time, and where they come from. */
export function Overview({ address, project, answers }: Props) {
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
        <Goals address={address} project={project} stats={answers.stats} events={answers.events} />
      )}
      {!hasNothing && (
        <div class="panels">
          <ListPanel name="pages" address={address} answer={answers.pages} />
          <SourcesPanel address={address} answer={answers.named} rates={answers.sourceRates} />
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
  const { stats, totals, line, events } = answers
  const numbers = stats?.data
    ? fromStats(stats.data)
    : totals?.data
      ? fromQuery(totals.data, events?.data)
      : null
  if (numbers === null) return null
  if (numbers.totals.events === 0) return <NoData address={address} main={main} />
  return (
    <>
      <Tiles address={address} numbers={numbers} main={main} views={stats ?? events ?? main} />
      {numbers.totals.bounce_rate === 1 && <OnlyViews />}
      <CourseOf address={address} stats={stats} line={line} compared={numbers.compared} />
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
  address: Address
  numbers: OverviewNumbers
  main: Known
  /** The answer that has the page views. */
  views: Known
}

/** The numbers of the dates. The name of each shows it over time. */
function Tiles({ address, numbers: { totals, before, compared }, main, views }: TilesProps) {
  const open = openLine(address)
  const why = whyNoChange(compared?.from, main.receipt?.data_from)
  return (
    <>
      <dl class="tiles" aria-label="Numbers; the name of one shows it over time">
        {LINES.map(name => {
          const { title, as, isGood } = definitions[name]
          const [value, earlier] = [totals[name], before?.[name]]
          const answer = name === 'page_views' ? views : main
          return (
            <div key={name} data-number={name}>
              <dt>
                <a
                  href={hrefTo(withOwn(address, { course: name === 'visitors' ? [] : [name] }))}
                  aria-current={name === open ? 'true' : undefined}
                  tabIndex={name === open ? 0 : -1}
                  onKeyDown={moveByNames}
                >
                  {title}
                </a>
              </dt>
              <dd>
                <Num name={name} answer={answer}>
                  {headline(value, as)}
                </Num>
                {compared !== null && why === null && value !== null && earlier !== null && (
                  <Change
                    change={changeOf(value, earlier)}
                    isGood={isGood}
                    title={`${datesLabel(compared.from, compared.to)}: ${formatted(earlier, as)}`}
                  />
                )}
              </dd>
            </div>
          )
        })}
      </dl>
      {why !== null && <p class="cut">{why}</p>}
    </>
  )
}

/** The names of the numbers are one stop of the Tab key: arrow keys go from one to the next. */
function moveByNames(event: KeyboardEvent) {
  const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  const link = event.currentTarget as HTMLElement
  const links = [...(link.closest('dl')?.querySelectorAll<HTMLElement>('dt a') ?? [])]
  if (by === undefined) return
  event.preventDefault()
  links[links.indexOf(link) + by]?.focus()
}

type CourseProps = {
  address: Address
  stats: Known<Answer<'GET /stats'>> | undefined
  line: Known<Answer<'POST /query'>> | undefined
  compared: DatePair | null
}

/** The chosen number over time, beside the dates that it is compared with. */
function CourseOf({ address, stats, line, compared }: CourseProps) {
  const open = openLine(address)
  const answer = (columnOfStats(open) === undefined ? line : (stats ?? line)) as Known | undefined
  if (answer === undefined) return null
  return (
    <Answered answer={answer}>{() => <Chart {...{ address, stats, line, compared, answer }} />}</Answered>
  )
}

const OF_DATES = 'Of the sessions with something on the date: one over midnight is in both of its dates.'
/** How a point of a line differs from the number above it. */
const NOTES: Partial<Record<Line, string>> = {
  sessions:
    'A session over midnight is in both of its dates, so the dates may add up to more than the number above.',
  bounce_rate: OF_DATES,
  single_page_rate: OF_DATES,
  duration: OF_DATES,
}

function Chart({ address, stats, line, compared, answer }: CourseProps & { answer: Known }) {
  const zone = zoneOf(address)
  const open = openLine(address)
  const { title, as } = definitions[open]
  const course = useMemo(() => {
    const now: Now = { date: today(zone), hour: hourNow(zone) }
    const column = columnOfStats(open)
    const made =
      column !== undefined && stats?.data
        ? courseOfStats(stats.data, column, now)
        : line?.data
          ? courseOfQuery(line.data, open, lineInterval(address), now)
          : null
    // A line of zeros before the data began would look like a bad month.
    const isKnown = whyNoChange(compared?.from, answer.receipt?.data_from) === null
    return made === null || isKnown ? made : { ...made, earlier: null }
  }, [answer.data, open, zone])
  const isUnfinished = datesOf(address.range, zone).isOpen
  const labels = useMemo(() => {
    const last = isUnfinished ? (course?.now.findLastIndex(value => value !== null) ?? -1) : -1
    return (course?.buckets ?? []).map((each, i) => ({
      short: bucketLabel(each),
      long: `${bucketLabel(each, 'long')}${i === last ? ', so far' : ''}`,
    }))
  }, [course, isUnfinished])
  const before = compared === null ? '' : datesLabel(compared.from, compared.to)
  const unit = as === 'duration' ? durationUnit(longest(course)) : { ms: 1, label: '' }
  const lines = useMemo(() => {
    const drawn = (values: Course['now']) => values.map(each => (each === null ? null : each / unit.ms))
    return course === null
      ? []
      : [
          ...(course.earlier === null
            ? []
            : [{ name: before, values: drawn(course.earlier), isBefore: true }]),
          { name: title, values: drawn(course.now), isUnfinished },
        ]
  }, [course, before, title, isUnfinished, unit.ms])
  const context = (answer.data as { project_context?: Parameters<typeof marksOf>[0] }).project_context
  const marks = useMemo(
    () => (course === null ? [] : marksOf(context, { buckets: course.buckets, to: course.to, zone })),
    [context, course, zone],
  )
  // A share link knows dates alone, and one date is no course.
  if (course === null || course.buckets.length < 2) return null
  const { buckets, interval, now, earlier } = course
  const name = `${title} by ${interval}`
  const inCsv = as === 'duration' ? 'ms' : undefined
  const table = {
    columns: [interval, title, ...(earlier === null ? [] : [before])],
    units: [undefined, inCsv, inCsv],
    rows: buckets.map((bucket, i) => [bucket, now[i], ...(earlier === null ? [] : [earlier[i]])]),
  }
  return (
    <section class="panel wide" aria-label={name} data-asked={answer.call.endpoint}>
      <header>
        <h2>{title}</h2>
      </header>
      {NOTES[open] !== undefined && <p class="cut note-of-panel">{NOTES[open]}</p>}
      <ChartFrame
        name={name}
        table={table}
        legend={
          earlier !== null && (
            <span class="legend">
              <i class="now" /> {title} <i class="before" /> {before}
            </span>
          )
        }
      >
        <SeriesChart
          name={name}
          labels={labels}
          lines={lines}
          marks={marks}
          format={value => formatted(value * unit.ms, as)}
          formatShort={value => `${shortened(value, as === 'duration' ? 'count' : as)}${unit.label}`}
        />
      </ChartFrame>
      {answer === line && <CutNote answer={answer} />}
    </section>
  )
}

/** The largest value of a course, as it is counted. */
function longest(course: Course | null): number {
  return [...(course?.now ?? []), ...(course?.earlier ?? [])].reduce<number>((m, v) => Math.max(m, v ?? 0), 0)
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
