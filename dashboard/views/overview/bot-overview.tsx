import { useMemo } from 'preact/hooks'
import { marksOf } from '#dashboard/annotations'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Bars } from '#dashboard/charts/bars.tsx'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { bucketLabel, formatted, headline, shortened } from '#dashboard/format'
import { Change } from '#dashboard/parts/change.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { bucketsOf, zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'
import { kindLabel } from '#dashboard/views/bots/kinds'

type Data = Answer<'GET /bot-traffic'>

/** Categories of programs that read for people or train models. */
export function isAi(category: string): boolean {
  return category.startsWith('ai_')
}

/**
 * Programs are counted and not stored: so there are requests, their senders and their dates, and nothing
 * else.
 */
export function BotOverview({ address, answer }: { address: Address; answer: Known<Data> }) {
  return <Answered answer={answer}>{data => <Body address={address} data={data} answer={answer} />}</Answered>
}

function Body({ address, data, answer }: { address: Address; data: Data; answer: Known }) {
  const isAgents = address.audience === 'agents'
  const categories = data.categories.filter(({ category }) => isAi(category) === isAgents)
  const actors = data.actors.filter(({ category }) => isAi(category) === isAgents)
  const requests = categories.reduce((sum, each) => sum + each.requests, 0)
  const { period, time_series, summary, project_context } = data
  const buckets = useMemo(() => bucketsOf(period.from, period.to, 'day'), [period.from, period.to])
  const values = useMemo(() => {
    const byDate = new Map(time_series.map(each => [each.date, each.requests]))
    return buckets.map(date => byDate.get(date) ?? 0)
  }, [buckets, time_series])
  const labels = useMemo(
    () => buckets.map(each => ({ short: bucketLabel(each), long: bucketLabel(each, 'long') })),
    [buckets],
  )
  const zone = zoneOf(address)
  const marks = useMemo(
    () => marksOf(project_context, { buckets, to: period.to, zone }),
    [project_context, buckets, period.to, zone],
  )
  const name = 'Automated requests by day'
  if (requests === 0) {
    return (
      <Empty title={isAgents ? 'No AI agent has come' : 'No bot has come'}>
        Programs that read the pages of the site without the tracker are not seen.
      </Empty>
    )
  }
  return (
    <>
      <dl class="tiles">
        <div data-number="requests">
          <dt>{isAgents ? 'Requests of AI agents' : 'Requests of bots'}</dt>
          <dd>
            <Num name="requests" answer={answer}>
              {headline(requests)}
            </Num>
          </dd>
        </div>
        <div>
          <dt>All automated requests</dt>
          <dd>
            <Num name="requests" answer={answer}>
              {headline(summary.automated_requests.current)}
            </Num>
            <Change
              change={
                summary.automated_requests.change_pct === null
                  ? null
                  : summary.automated_requests.change_pct / 100
              }
              isGood={null}
              from={period.previous_from}
              dataFrom={answer.receipt?.data_from}
            />
          </dd>
        </div>
      </dl>
      <section class="panel wide" aria-label={name}>
        <header>
          <h2>All automated requests</h2>
        </header>
        <ChartFrame
          name={name}
          table={{ columns: ['day', 'Requests'], rows: buckets.map((date, i) => [date, values[i]]) }}
        >
          <SeriesChart
            name={name}
            labels={labels}
            lines={[{ name: 'Requests', values, isUnfinished: true }]}
            marks={marks}
            format={shortened}
          />
        </ChartFrame>
      </section>
      <div class="panels">
        <Panel title="Senders">
          <Bars
            name="Senders by requests"
            columns={['Sender', 'Requests']}
            bars={actors.map(({ actor, requests: value }) => ({
              key: actor,
              label: actor,
              title: actor,
              value,
            }))}
            format={value => formatted(value)}
          />
        </Panel>
        <Panel title="Kinds">
          <Bars
            name="Kinds by requests"
            columns={['Kind', 'Requests']}
            bars={categories.map(({ category, requests: value }) => ({
              key: category,
              label: kindLabel(category),
              title: kindLabel(category),
              value,
            }))}
            format={value => formatted(value)}
          />
        </Panel>
      </div>
    </>
  )
}
