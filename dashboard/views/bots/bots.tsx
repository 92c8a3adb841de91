import { useMemo } from 'preact/hooks'
import { marksOf } from '#dashboard/annotations'
import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import type { NumberName } from '#dashboard/definitions'
import { agoLabel, bucketLabel, datesLabel, headline, shortened } from '#dashboard/format'
import { Change } from '#dashboard/parts/change.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { bucketsOf, zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import type { BotsRequests } from './requests.ts'
import { Kinds, Purposes, Senders } from './senders.tsx'

type Data = Answer<'GET /bot-traffic'>
type Props = ViewContext & { answers: AnswersOf<BotsRequests> }

/** Programs that come to the site: how often, of which kind, and which of them. */
export function Bots({ address, answers: { bots } }: Props) {
  return <Answered answer={bots}>{data => <Body address={address} data={data} answer={bots} />}</Answered>
}

function Body({ address, data, answer }: { address: Address; data: Data; answer: Known<Data> }) {
  const { summary, rules_version } = data
  return (
    <>
      <Tiles data={data} answer={answer} />
      {summary.automated_requests.current === 0 ? (
        <Empty title="No bot has come">
          Bots are counted when they run the tracker or send events. Programs that only read pages are not
          seen.
        </Empty>
      ) : (
        <>
          <Course address={address} data={data} />
          <div class="panels">
            <Kinds address={address} data={data} />
            <Purposes data={data} />
            <Senders address={address} data={data} />
          </div>
          <p class="cut">
            Bots are counted by day and not stored: they are in no other view.
            {rules_version !== null && ` Recognised by the rules of version ${rules_version}.`}
          </p>
          <CutNote answer={answer} />
        </>
      )}
    </>
  )
}

function Tiles({ data: { summary, period }, answer }: { data: Data; answer: Known }) {
  const before = `against ${datesLabel(period.previous_from, period.previous_to)}`
  const tiles: [name: NumberName, title: string, of: Data['summary']['dropped_events']][] = [
    ['requests', 'Requests', summary.automated_requests],
    ['dropped_events', 'Events not stored', summary.dropped_events],
  ]
  return (
    <dl class="tiles">
      {tiles.map(([name, title, { current, change_pct }]) => (
        <div key={name} data-number={name}>
          <dt>{title}</dt>
          <dd>
            <Num name={name} answer={answer}>
              {headline(current)}
            </Num>
            <Change
              change={change_pct === null ? null : change_pct / 100}
              isGood={null}
              title={before}
              from={period.previous_from}
              dataFrom={answer.receipt?.data_from}
            />
          </dd>
        </div>
      ))}
      <div data-number="last_seen">
        <dt>Last seen</dt>
        <dd>
          <span class="num">{summary.last_seen_at === null ? '–' : agoLabel(summary.last_seen_at)}</span>
        </dd>
      </div>
    </dl>
  )
}

function Course({ address, data }: { address: Address; data: Data }) {
  const { period, time_series, project_context } = data
  const zone = zoneOf(address)
  const buckets = useMemo(() => bucketsOf(period.from, period.to, 'day'), [period.from, period.to])
  const values = useMemo(() => {
    const byDate = new Map(time_series.map(({ date, requests }) => [date, requests]))
    return buckets.map(date => byDate.get(date) ?? 0)
  }, [buckets, time_series])
  const labels = useMemo(
    () => buckets.map(each => ({ short: bucketLabel(each), long: bucketLabel(each, 'long') })),
    [buckets],
  )
  const marks = useMemo(
    () => marksOf(project_context, { buckets, to: period.to, zone }),
    [project_context, buckets, period.to, zone],
  )
  const byDate = new Map(time_series.map(each => [each.date, each]))
  const name = 'Requests of bots by day'
  return (
    <Panel title="Requests by day" wide>
      <ChartFrame
        name={name}
        table={{
          columns: ['day', 'requests', 'events not stored'],
          rows: buckets.map(date => [
            date,
            byDate.get(date)?.requests ?? 0,
            byDate.get(date)?.dropped_events ?? 0,
          ]),
        }}
      >
        <SeriesChart
          name={name}
          labels={labels}
          lines={[{ name: 'Requests', values }]}
          marks={marks}
          format={value => shortened(value)}
        />
      </ChartFrame>
    </Panel>
  )
}
