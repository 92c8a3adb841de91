import { useMemo } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import {
  agoLabel,
  bucketLabel,
  dateLabel,
  datesLabel,
  formatted,
  headline,
  shortened,
} from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Change } from '#dashboard/parts/change.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { titleOf } from '#dashboard/project-names'
import { bucketsOf } from '#dashboard/range'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { NewSite, StartedSite } from './new-site.tsx'

type Data = Answer<'GET /account/all-sites'>
type Projects = Answer<'GET /projects'>
type Props = ViewContext & { answers: { sites: Known<Data>; projects: Known<Projects> } }

/** The project of the first start, with made-up traffic. It is nobody's site. */
const EXAMPLE = 'demo'

/** Every site at a glance, in one range, and how a new one begins. */
export function Sites({ address, answers: { sites, projects } }: Props) {
  const started = ownValue(address, 'started')
  return (
    <Answered answer={projects}>
      {({ projects: all }) => {
        const isFirst = all.every(({ name }) => name === EXAMPLE)
        const isNew = isFirst || ownValue(address, 'new') !== undefined
        return (
          <>
            {started !== undefined ? (
              <StartedSite key={started} address={address} name={started} />
            ) : (
              isNew && <NewSite address={address} isFirst={isFirst} />
            )}
            {all.length > 0 && (
              <Answered answer={sites}>
                {data => <Body address={address} data={data} answer={sites} all={all} />}
              </Answered>
            )}
          </>
        )
      }}
    </Answered>
  )
}

function Body({
  address,
  data,
  answer,
  all,
}: {
  address: Address
  data: Data
  answer: Known
  all: Projects['projects']
}) {
  const { period, summary, time_series, projects } = data
  const buckets = useMemo(() => bucketsOf(period.from, period.to, 'day'), [period.from, period.to])
  const values = useMemo(() => {
    const byDate = new Map(time_series.map(({ date, events }) => [date, events]))
    return buckets.map(date => byDate.get(date) ?? 0)
  }, [buckets, time_series])
  const labels = useMemo(
    () => buckets.map(each => ({ short: bucketLabel(each), long: bucketLabel(each, 'long') })),
    [buckets],
  )
  const quiet = all.filter(({ id }) => !projects.some(active => active.id === id))
  const { current, change_pct } = summary.total_events
  return (
    <>
      <dl class="tiles">
        <div data-number="events">
          <dt>Events of all sites</dt>
          <dd>
            <Num name="events" answer={answer}>
              {headline(current)}
            </Num>
            <Change
              change={change_pct === null ? null : change_pct / 100}
              isGood={true}
              title={datesLabel(period.previous_from, period.previous_to)}
              from={period.previous_from}
              dataFrom={answer.receipt?.data_from}
            />
          </dd>
        </div>
        <div>
          <dt>Active sites</dt>
          <dd>
            <span class="num">
              {formatted(summary.active_projects)} <small>of {formatted(summary.total_projects)}</small>
            </span>
          </dd>
        </div>
      </dl>
      <section class="panel wide" aria-label="Events by day">
        <header>
          <h2>Events of all sites</h2>
        </header>
        <ChartFrame
          name="Events by day"
          table={{ columns: ['day', 'Events'], rows: buckets.map((date, i) => [date, values[i]]) }}
        >
          <SeriesChart
            name="Events by day"
            labels={labels}
            lines={[{ name: 'Events', values }]}
            format={shortened}
            height={180}
          />
        </ChartFrame>
      </section>
      <section class="panel wide" aria-label="Sites">
        <header>
          <h2>Sites</h2>
          <nav aria-label="Sites: more">
            <a href={hrefTo(withOwn(address, { new: ['1'], started: [] }))}>New site</a>
          </nav>
        </header>
        <div class="scroll tall" role="region" aria-label="Sites: the list" tabIndex={0}>
          <table class="bars sites" aria-label="Sites">
            <thead>
              <tr>
                <th scope="col">Site</th>
                <th scope="col" class="number">
                  Events
                </th>
                <th scope="col" class="number">
                  Share
                </th>
                <th scope="col" class="number">
                  Last event
                </th>
              </tr>
            </thead>
            <tbody>
              {projects.map(({ id, name, events, share_pct, last_active_date }) => (
                <tr key={id}>
                  <th scope="row">
                    <span class="bar" style={{ inlineSize: `${share_pct}%` }} aria-hidden="true" />
                    <a class="label" href={hrefTo({ ...address, project: name, view: 'overview' })}>
                      {titleOf(name)}
                    </a>
                  </th>
                  <td class="number">{formatted(events)}</td>
                  <td class="number">{formatted(share_pct, 'percent')}</td>
                  <td class="number">{last_active_date === null ? '–' : dateLabel(last_active_date)}</td>
                </tr>
              ))}
              {quiet.map(({ id, name, last_event_at }) => (
                <tr key={id} class="quiet">
                  <th scope="row">
                    <a class="label" href={hrefTo({ ...address, project: name, view: 'overview' })}>
                      {titleOf(name)}
                    </a>
                  </th>
                  <td class="number">0</td>
                  <td class="number">–</td>
                  <td class="number">
                    {last_event_at === null ? 'never' : agoLabel(Date.parse(last_event_at))}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </section>
    </>
  )
}
