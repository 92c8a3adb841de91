import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import { goalLabel, goalWords, isPage, openGoal } from '#dashboard/goal'
import { hrefTo } from '#dashboard/navigate'
import { GoalChoice, PageGoal } from '#dashboard/parts/goal-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { visible } from '#dashboard/texts'
import { type Address, withOwn } from '#dashboard/url'

type Stats = Answer<'GET /stats'>
type GoalsProps = {
  address: Address
  project: string
  stats: Known<Stats> | undefined
  /** Visitors by event: the most frequent ones, or all. */
  events: Known<Answer<'POST /query'>> | undefined
  /** Visitors and views of the chosen goal, where that is a page. */
  page: Known<Answer<'POST /query'>> | undefined
}

/**
 * The events that visitors of the project should do, as its context names them, with the part of all visitors
 * who did. A goal that is chosen here is asked of each list of the view.
 */
export function Goals({ address, project, stats, events, page }: GoalsProps) {
  if (stats === undefined || events === undefined || address.area === 'share') return null
  const open = openGoal(address)
  const names = events.data?.rows.flatMap(({ event, other }) => (other ? [] : [String(event)])) ?? []
  const note =
    address.filters.length > 0
      ? 'Of the visitors whom the filters leave, those who did it at least once, in what the filters leave.'
      : 'Of all visitors of these dates, those who did it at least once.'
  return (
    <Panel
      title="Goals"
      wide
      note={note}
      actions={
        <>
          <GoalChoice address={address} names={names} />
          <PageGoal address={address} project={project} />
        </>
      }
    >
      <Answered answer={stats}>
        {({ totals, project_context }) => (
          <Answered answer={events}>
            {({ rows, truncated }) => (
              <GoalList
                address={address}
                goals={[
                  ...(project_context?.activation_events ?? []),
                  ...(open !== undefined && isPage(open) ? [open] : []),
                ]}
                page={page?.data?.rows[0]}
                visitors={totals.unique_users}
                rows={rows}
                isCut={truncated === true}
              />
            )}
          </Answered>
        )}
      </Answered>
      {open !== undefined && (
        <p class="cut">Each list shows which part of its visitors, or of its sessions, {goalWords(open)}.</p>
      )}
    </Panel>
  )
}

type ListProps = {
  address: Address
  goals: readonly string[]
  visitors: number
  rows: Answer<'POST /query'>['rows']
  page: Answer<'POST /query'>['rows'][number] | undefined
  /** There are events that are not in `rows`. */
  isCut: boolean
}

function GoalList({ address, goals, visitors, rows, page, isCut }: ListProps) {
  const open = openGoal(address)
  if (goals.length === 0)
    return (
      <Empty title="No goals yet">
        {address.area === 'account' ? (
          <a href={hrefTo({ ...address, view: 'settings', own: {} })}>
            Name the events that visitors should do
          </a>
        ) : (
          'The owner of the project names the events that visitors should do.'
        )}
      </Empty>
    )
  return (
    <>
      <Ranked
        name="Goals by visitors"
        columns={['Goal', 'Visitors', 'Events', 'Rate']}
        rows={goals.map(goal => {
          const row = isPage(goal) ? page : rows.find(({ event, other }) => event === goal && !other)
          const none = isCut || isPage(goal) ? null : 0
          const people = row === undefined ? none : Number(row.unique_users)
          const rate = people === null || visitors === 0 ? null : people / visitors
          return {
            key: goal,
            label: goalLabel(goal),
            title: visible(goal),
            href: hrefTo(withOwn(address, { goal: goal === open ? [] : [goal] })),
            share: rate ?? 0,
            cells: [
              { value: people, as: 'count' },
              { value: row === undefined ? none : Number(row.event_count), as: 'count' },
              { value: rate, as: 'rate' },
            ],
          }
        })}
      />
      {isCut && <p class="cut">Only the {formatted(rows.length)} most frequent events are known here.</p>}
    </>
  )
}
