import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { Tree } from '#dashboard/charts/tree.tsx'
import { datesLabel, formatted, headline } from '#dashboard/format'
import { isPage } from '#dashboard/goal'
import { go, hrefTo } from '#dashboard/navigate'
import { EventChoice } from '#dashboard/parts/event-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { pathLabel, visible } from '#dashboard/texts'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { firstFunnel } from '#dashboard/views/funnel/steps'
import { DEPTHS, depthOf, type PathsRequests } from './requests.ts'
import { endsOf, rowsOf, treeOf } from './ways.ts'

type Props = ViewContext & { answers: AnswersOf<PathsRequests> }
type Data = Answer<'POST /paths'>

/** Levels that `Open more` opens. Below them a reader opens what matters. */
const MORE_LEVELS = 3

/** The ways of sessions from the page where they begin to a goal, and where they end without it. */
export function Paths({ address, answers: { events, paths } }: Props) {
  const goal = ownValue(address, 'goal') ?? ''
  const names = events.data?.events.map(({ event }) => event) ?? []
  const entries = paths?.data?.entry_paths.map(({ entry_page }) => entry_page) ?? []
  const own = (changes: Record<string, readonly string[]>) => go(withOwn(address, changes))
  return (
    <>
      <Panel title="Ways" wide>
        <div class="choices">
          <EventChoice
            title="To the event"
            none="Choose the goal"
            value={goal}
            names={names}
            choose={event => own({ goal: event === '' ? [] : [event] })}
          />
          <EventChoice
            title="From the page"
            none="all entry pages"
            value={ownValue(address, 'entry') ?? ''}
            names={entries}
            choose={page => own({ entry: page === '' ? [] : [page] })}
          />
          <label>
            Steps
            <select
              value={String(depthOf(address))}
              onChange={({ currentTarget: { value } }) => own({ depth: value === '5' ? [] : [value] })}
            >
              {DEPTHS.map(depth => (
                <option key={depth} value={String(depth)}>
                  {depth}
                </option>
              ))}
            </select>
          </label>
        </div>
        {paths === undefined ? (
          <Begin address={address} events={events} />
        ) : (
          <Answered answer={paths}>
            {data => <Ways address={address} goal={goal} data={data} answer={paths} />}
          </Answered>
        )}
      </Panel>
      {paths?.data !== undefined && <Ends address={address} data={paths.data} />}
    </>
  )
}

function Begin({ address, events }: { address: Address; events: Props['answers']['events'] }) {
  return (
    <Answered answer={events}>
      {data => {
        // The goal of paths is an event.
        const goals = data.project_context?.activation_events.filter(each => !isPage(each))
        const goal = firstFunnel(data.events, goals).at(-1)
        return (
          <Empty title={data.events.length === 0 ? 'No events in this range' : 'Where should people get to?'}>
            Choose the event that is the goal, and see the ways on which sessions reach it, or end before.
            {goal !== undefined && (
              <>
                {' '}
                To begin with: <a href={hrefTo(withOwn(address, { goal: [goal] }))}>{goal}</a>
              </>
            )}
          </Empty>
        )
      }}
    </Answered>
  )
}

type WaysProps = { address: Address; goal: string; data: Data; answer: Known<Data> }

function Ways({ address, goal, data, answer }: WaysProps) {
  const chosen = ownValue(address, 'entry')
  const shown = data.entry_paths.filter(({ entry_page }) => chosen === undefined || entry_page === chosen)
  const isOpen = ownValue(address, 'open') === 'more'
  if (shown.length === 0) {
    return (
      <Empty title="No session began with a page in this range">
        {chosen === undefined ? 'Choose a longer range.' : 'Choose another page, or all of them.'}
      </Empty>
    )
  }
  const sessions = shown.reduce((sum, each) => sum + each.sessions, 0)
  const reached = shown.reduce((sum, each) => sum + each.reached, 0)
  const name = `Ways to ${goal}`
  return (
    <>
      <p class="summary">
        <Num name="path_rate" answer={answer} class="inline">
          {formatted(sessions === 0 ? 0 : reached / sessions, 'rate')}
        </Num>{' '}
        of{' '}
        <Num name="path_sessions" answer={answer} class="inline">
          {headline(sessions)}
        </Num>{' '}
        sessions reached {goal}. <span>{datesLabel(data.period.from, data.period.to)}</span>
      </p>
      <ChartFrame
        name={name}
        table={{
          columns: ['entry_page', 'depth', 'kind', 'value', 'sessions', 'conversions', 'reached'],
          rows: rowsOf(shown),
        }}
        legend={
          <a class="fold" href={hrefTo(withOwn(address, { open: isOpen ? [] : ['more'] }))}>
            {isOpen ? 'Open less' : 'Open more'}
          </a>
        }
      >
        <Tree
          key={isOpen ? 'open' : 'folded'}
          name={name}
          nodes={treeOf(shown)}
          count={value => formatted(value)}
          openLevels={isOpen ? MORE_LEVELS : 1}
        />
      </ChartFrame>
      {data.truncated === true && (
        <p class="cut">
          The {data.bounds.entry_limit} most frequent entry pages, the {data.bounds.path_limit} most frequent
          ways from each step, and the newest {formatted(data.bounds.candidate_session_cap)} sessions.
        </p>
      )}
    </>
  )
}

function Ends({ address, data }: { address: Address; data: Data }) {
  const chosen = ownValue(address, 'entry')
  const ends = endsOf(
    data.entry_paths.filter(({ entry_page }) => chosen === undefined || entry_page === chosen),
  )
  const most = ends[0]?.lost ?? 0
  if (most === 0) return null
  return (
    <Panel title="Where sessions end without the goal" wide>
      <Ranked
        name="Exit pages by sessions without the goal"
        columns={['Exit page', 'Ended here', 'Without the goal', 'Part']}
        rows={ends.map(({ page, sessions, lost }) => ({
          key: page,
          label: pathLabel(page),
          title: visible(page),
          share: lost / most,
          cells: [
            { value: sessions, as: 'count' },
            { value: lost, as: 'count' },
            { value: lost / sessions, as: 'rate' },
          ],
        }))}
      />
    </Panel>
  )
}
