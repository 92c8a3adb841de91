import { type Known, useAnswers } from '#dashboard/answers'
import { type Answer, type Call, call } from '#dashboard/api'
import { changeContext, READS_OF_CONTEXT } from '#dashboard/change-context'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { formatted, numberOf } from '#dashboard/format'
import {
  conversionCells,
  conversionOf,
  goalLabel,
  goalReached,
  goalWords,
  isPage,
  openGoal,
} from '#dashboard/goal'
import { hrefTo } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { GoalChoice, PageGoal } from '#dashboard/parts/goal-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { queryOf } from '#dashboard/question'
import { visible } from '#dashboard/texts'
import { type Address, withOwn } from '#dashboard/url'

type Query = Answer<'POST /query'>
type GoalsProps = {
  address: Address
  project: string
  stats: Known<Answer<'GET /stats'>> | undefined
  /** Visitors by event: the most frequent ones, or all. */
  events: Known<Query> | undefined
}

/**
 * The events and pages that visitors of the project should reach, as its context names them, with the part of
 * all visitors who did. A goal that is chosen here is asked of each list of the view.
 */
export function Goals({ address, project, stats, events }: GoalsProps) {
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
        {({ totals, project_context }) => {
          const kept = project_context?.activation_events ?? []
          return (
            <>
              <Answered answer={events}>
                {({ rows, truncated }) => (
                  <GoalList
                    address={address}
                    project={project}
                    goals={[...kept, ...(open === undefined || kept.includes(open) ? [] : [open])]}
                    visitors={totals.unique_users}
                    rows={rows}
                    isCut={truncated === true}
                  />
                )}
              </Answered>
              {open !== undefined && !kept.includes(open) && address.area === 'account' && (
                <KeepGoal key={open} project={project} goal={open} />
              )}
            </>
          )
        }}
      </Answered>
      {open !== undefined && (
        <p class="cut">
          Each list shows how many of its visitors, or of its sessions, {goalWords(open)}, and their part.
        </p>
      )}
    </Panel>
  )
}

/** Adds the chosen goal to those of the project, for everybody who reads it. */
function KeepGoal({ project, goal }: { project: string; goal: string }) {
  const act = useAct()
  const keep = async () => {
    const known = await act.run(call('GET /project-context', { project }))
    if (known === null) return
    const { project_context: context, etag } = known
    const activation_events = [...context.activation_events, goal]
    await act.run(changeContext(project, { context, etag }, { activation_events }), ...READS_OF_CONTEXT)
  }
  return (
    <p class="cut more">
      <button type="button" class="quiet" disabled={act.isBusy} onClick={keep}>
        Keep {goalLabel(goal)} as a goal of the project
      </button>
      <FailureNote act={act} />
    </p>
  )
}

type ListProps = {
  address: Address
  project: string
  goals: readonly string[]
  visitors: number
  rows: Query['rows']
  /** There are events that are not in `rows`. */
  isCut: boolean
}

function GoalList({ address, project, goals, visitors, rows, isCut }: ListProps) {
  const open = openGoal(address)
  const pages = goals.filter(isPage)
  const { reached } = useAnswers<{ reached?: Call<Query> }>(
    pages.length === 0
      ? {}
      : {
          reached: call('POST /query', {
            ...{ project, ...queryOf(address) },
            metrics: pages.map(goalReached),
          }),
        },
  )
  if (goals.length === 0)
    return (
      <Empty title="No goals yet">
        {address.area === 'account' ? (
          <a href={hrefTo({ ...address, view: 'settings', own: {} })}>
            Name the events and pages that visitors should reach
          </a>
        ) : (
          'The owner of the project names the events and pages that visitors should reach.'
        )}
      </Empty>
    )
  const table = (ofPages?: Query) => (
    <Ranked
      name="Goals by visitors"
      columns={['Goal', 'Visitors', 'Rate', 'Events']}
      rows={goals.map(goal => {
        const row = isPage(goal) ? undefined : rows.find(({ event, other }) => event === goal && !other)
        const none = isCut || isPage(goal) ? null : 0
        const people = isPage(goal) ? ofPages?.rows[0]?.[goalReached(goal)] : row?.unique_users
        const conversion = conversionOf(people ?? none, visitors)
        return {
          key: goal,
          label: goalLabel(goal),
          title: visible(goal),
          href: hrefTo(withOwn(address, { goal: goal === open ? [] : [goal] })),
          share: conversion.rate ?? 0,
          cells: [...conversionCells(conversion), { value: numberOf(row?.event_count ?? none), as: 'count' }],
        }
      })}
    />
  )
  return (
    <>
      {reached === undefined ? table() : <Answered answer={reached}>{table}</Answered>}
      {isCut && <p class="cut">Only the {formatted(rows.length)} most frequent events are known here.</p>}
    </>
  )
}
