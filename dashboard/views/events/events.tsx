import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { Sparkline } from '#dashboard/charts/sparkline.tsx'
import { formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { wholeOf, withoutRest } from '#dashboard/parts/whole'
import { bucketsOf } from '#dashboard/range'
import { eventLabel, visible } from '#dashboard/texts'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { OneEvent } from './one-event.tsx'
import type { EventsRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<EventsRequests> }
type Query = Answer<'POST /query'>

/** What arrives: event names with their course, and what each of them says. */
export function Events({ address, answers }: Props) {
  const { names, courses, project, ...ofEvent } = answers
  const event = ownValue(address, 'event')
  return (
    <>
      {event !== undefined && <OneEvent key={event} event={event} address={address} {...ofEvent} />}
      <Panel title="Events">
        <Answered answer={names}>
          {data => (
            <>
              <Names data={data} answer={names} courses={courses.data} address={address} />
              <CutNote answer={names} isCounted />
            </>
          )}
        </Answered>
      </Panel>
      {project !== undefined && <Refused answer={project} />}
    </>
  )
}

type NamesProps = { data: Query; answer: Known<Query>; courses: Query | undefined; address: Address }

function Names({ data, answer, courses, address }: NamesProps) {
  const rows = withoutRest(data.rows)
  const most = Number(rows[0]?.event_count ?? 0)
  if (rows.length === 0) {
    return <Empty title="No event in this range">Choose a longer range, or fewer filters.</Empty>
  }
  const courseOf = coursesOf(courses)
  const toRow = (row: Row): RankedRow => {
    const name = String(row.event)
    return {
      key: name,
      label: eventLabel(name),
      title: visible(name),
      href: hrefTo(withOwn(address, { event: [name], prop: [] })),
      share: most === 0 ? 0 : Number(row.event_count) / most,
      cells: [
        { value: Number(row.event_count), as: 'count' },
        { value: Number(row.unique_users), as: 'count' },
        ...(courseOf === null ? [] : [<Sparkline key="course" values={courseOf(name)} />]),
      ],
    }
  }
  return (
    <Ranked
      name="Events by number"
      columns={['Event', 'Events', 'Visitors', ...(courseOf === null ? [] : ['By day'])]}
      rows={rows.map(toRow)}
      total={answer.data?.total_rows}
      load={wholeOf(answer, whole => withoutRest(whole.rows).map(toRow))}
    />
  )
}

type Row = Query['rows'][number]

/** The number of each day, by event. Null while unknown, and where the list of days is cut. */
function coursesOf(courses: Query | undefined): ((event: string) => number[]) | null {
  if (courses === undefined || courses.truncated === true) return null
  const { from, to } = courses.period
  const days = bucketsOf(from, to, 'day')
  const counts = new Map(
    courses.rows.map(({ event, date, event_count }) => [`${date} ${event}`, event_count]),
  )
  return event => days.map(day => Number(counts.get(`${day} ${event}`) ?? 0))
}

const REASONS: Record<string, string> = {
  shared_id: 'An id that many people share, such as “null”',
  not_anonymous: 'The earlier id is not an anonymous one',
  identified: 'The anonymous id stands for an identified person already',
  already_linked: 'The earlier id is linked to another one',
  loop: 'The link would lead an id to itself',
  no_room: 'The project has no room for more links without a credential',
}

function Refused({ answer }: { answer: Known<Answer<'GET /projects/{id}'>> }) {
  const reasons = Object.entries(answer.data?.refused.links ?? {})
  if (reasons.length === 0) return null
  return (
    <Panel title="Refused links">
      <p class="lead">Identify requests asked to link ids, and the service refused.</p>
      <dl class="facts" aria-label="Refused links by reason">
        {reasons.map(([reason, count]) => (
          <div key={reason}>
            <dt>{REASONS[reason] ?? reason}</dt>
            <dd>{formatted(count)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
