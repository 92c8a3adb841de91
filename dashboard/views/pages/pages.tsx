import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Bars } from '#dashboard/charts/bars.tsx'
import { Ranked, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import {
  type Conversion,
  conversionCells,
  conversionColumns,
  conversionOf,
  goalLabel,
  goalSessions,
  goalTitle,
  goalVisitors,
  openGoal,
} from '#dashboard/goal'
import { hrefTo } from '#dashboard/navigate'
import { GoalChoice, PageGoal } from '#dashboard/parts/goal-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { rowChanges } from '#dashboard/parts/row-changes'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { wholeOf, withoutRest } from '#dashboard/parts/whole'
import { unfilteredNote } from '#dashboard/question'
import { pathLabel, visible } from '#dashboard/texts'
import { type Address, withFilter, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { ENDS, openTab, type PagesRequests, TABS, type Tab } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<PagesRequests> }

/** The pages of a site: all of them, where sessions began, and where they ended. */
export function Pages({ address, project, answers: { views, ends, rates, events, lengths } }: Props) {
  const tab = openTab(address)
  const tabs = (Object.keys(TABS) as Tab[]).map(name => ({
    title: TABS[name],
    href: hrefTo(withOwn(address, { list: name === 'all' ? [] : [name] })),
    isOpen: name === tab,
  }))
  const unfiltered = unfilteredNote(address)
  return (
    <>
      <Panel
        title="Pages"
        tabs={tabs}
        note={tab === 'all' ? undefined : unfiltered}
        wide
        {...(events !== undefined && {
          actions: (
            <>
              <GoalChoice address={address} names={events.data?.events.map(({ event }) => event) ?? []} />
              <PageGoal address={address} project={project} />
            </>
          ),
        })}
      >
        {views !== undefined && <AllPages address={address} answer={views} />}
        {tab !== 'all' && ends !== undefined && (
          <EndPages tab={tab} address={address} answer={ends} rates={rates} />
        )}
      </Panel>
      <Lengths answer={lengths} note={unfiltered} />
    </>
  )
}

type Row = Answer<'POST /query'>['rows'][number]

function AllPages({ address, answer }: { address: Address; answer: Known<Answer<'POST /query'>> }) {
  const goal = openGoal(address)
  return (
    <Answered answer={answer}>
      {({ rows, previous, total_rows }) => {
        const pages = withoutRest(rows)
        if (pages.length === 0) return <Empty title="No page was viewed in this range" />
        const most = Number(pages[0]?.unique_users ?? 0)
        const before = previous && {
          period: previous.period,
          isCut: previous.truncated === true,
          rows: withoutRest(previous.rows),
        }
        const changes = rowChanges(before, answer, {
          key: row => String(row['properties.path']),
          value: row => Number(row.unique_users),
        })
        const toRow = (row: Row): RankedRow => {
          const path = row['properties.path']
          return {
            ...labelOf(path === null || path === undefined ? null : String(path), address),
            share: most === 0 ? 0 : Number(row.unique_users) / most,
            cells: [
              { value: Number(row.unique_users), as: 'count' },
              ...changes.cellOf(row),
              { value: Number(row.event_count), as: 'count' },
              { value: Number(row.session_count), as: 'count' },
              { value: row.bounce_rate === null ? null : Number(row.bounce_rate), as: 'rate' },
              ...(goal === undefined
                ? []
                : conversionCells(conversionOf(row[goalVisitors(goal)], row.unique_users))),
            ],
          }
        }
        return (
          <>
            <Ranked
              name="Pages by visitors"
              columns={[
                ...['Page', 'Visitors', ...changes.column, 'Views', 'Sessions', 'Without interaction'],
                ...(goal === undefined ? [] : conversionColumns(goalTitle(goal))),
              ]}
              rows={pages.map(toRow)}
              total={total_rows}
              load={wholeOf(answer, whole => withoutRest(whole.rows).map(toRow))}
            />
            {changes.note !== null && <p class="cut">{changes.note}</p>}
            <CutNote answer={answer} isCounted />
          </>
        )
      }}
    </Answered>
  )
}

type EndRow = NonNullable<Answer<'GET /pages'>['entry_pages']>[number]

function EndPages({
  tab,
  address,
  answer,
  rates,
}: {
  tab: 'entry' | 'exit'
  address: Address
  answer: Known<Answer<'GET /pages'>>
  rates: Known<Answer<'POST /query'>> | undefined
}) {
  const goal = openGoal(address)
  const conversionAt = ({ page }: EndRow, goal: string): Conversion => {
    const row = rates?.data?.rows.find(each => !each.other && each[ENDS[tab]] === page)
    return conversionOf(row?.[goalSessions(goal)], row?.session_count)
  }
  return (
    <Answered answer={answer}>
      {data => {
        const pages = endsOf(data, tab)
        if (pages.length === 0) return <Empty title="No session in this range" />
        const most = pages[0]?.sessions ?? 0
        const { previous } = data
        const before = previous && {
          period: previous.period,
          isCut: previous.truncated === true,
          rows: endsOf(previous, tab),
        }
        const changes = rowChanges(before, answer, {
          key: row => String(row.page),
          value: row => row.sessions,
        })
        const toRow = (row: EndRow): RankedRow => ({
          ...labelOf(row.page, address),
          share: most === 0 ? 0 : row.sessions / most,
          cells: [
            { value: row.sessions, as: 'count' },
            ...changes.cellOf(row).map(cell => ({ ...cell, isGood: tab === 'exit' ? null : true })),
            { value: row.bounces, as: 'count' },
            { value: row.bounce_rate, as: 'rate' },
            { value: row.avg_duration, as: 'duration' },
            { value: row.avg_events, as: 'count' },
            ...(goal === undefined ? [] : conversionCells(conversionAt(row, goal))),
          ],
        })
        return (
          <>
            <Ranked
              name={`${TABS[tab]} by sessions`}
              columns={[
                'Page',
                'Sessions',
                ...changes.column,
                'Only looked',
                'Without interaction',
                'Duration',
                'Events',
                ...(goal === undefined ? [] : conversionColumns(`Sessions with ${goalLabel(goal)}`)),
              ]}
              rows={pages.map(toRow)}
              load={wholeOf(answer, whole => endsOf(whole, tab).map(toRow))}
            />
            {changes.note !== null && <p class="cut">{changes.note}</p>}
            <CutNote answer={answer} isCounted />
          </>
        )
      }}
    </Answered>
  )
}

const LENGTHS = {
  '0s': 'A single moment',
  '1-10s': 'Up to 10 seconds',
  '10-30s': '10 to 30 seconds',
  '30-60s': '30 to 60 seconds',
  '1-3m': '1 to 3 minutes',
  '3-10m': '3 to 10 minutes',
  '10m+': 'Over 10 minutes',
} as const

/** How long the sessions up to a length last. */
const AT_MOST = {
  '0s': 'a single moment, as with one event',
  '1-10s': 'at most 10 seconds',
  '10-30s': 'at most 30 seconds',
  '30-60s': 'at most a minute',
  '1-3m': 'at most 3 minutes',
  '3-10m': 'at most 10 minutes',
  '10m+': 'over 10 minutes',
} as const

type LengthsProps = { answer: Props['answers']['lengths']; note: string | undefined }

function Lengths({ answer, note }: LengthsProps) {
  return (
    <Panel title="Length of sessions" note={note}>
      <Answered answer={answer}>
        {({ distribution, median_bucket, engaged_pct }) => {
          if (median_bucket === null) return <Empty title="No session in this range" />
          return (
            <>
              <p class="quiet">
                At least half of the sessions last {AT_MOST[median_bucket]}.{' '}
                {formatted(engaged_pct, 'percent')} last 30 seconds or more.
              </p>
              <Bars
                name="Sessions by length"
                columns={['Length', 'Sessions']}
                bars={distribution.map(({ bucket, sessions, pct }) => ({
                  key: bucket,
                  label: LENGTHS[bucket],
                  title: LENGTHS[bucket],
                  value: sessions,
                  note: formatted(pct, 'percent'),
                }))}
                format={value => formatted(value)}
              />
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

type Ends = Pick<Answer<'GET /pages'>, 'entry_pages' | 'exit_pages'>

function endsOf(data: Ends, tab: 'entry' | 'exit'): readonly EndRow[] {
  return (tab === 'entry' ? data.entry_pages : data.exit_pages) ?? []
}

/** A click on a page shows only its events. */
function labelOf(path: string | null, address: Address) {
  const filter = { field: 'properties.path', op: 'eq', value: path ?? '' } as const
  return {
    key: String(path),
    label: pathLabel(path),
    title: path === null || path === '' ? pathLabel(path) : visible(path),
    href: path === null ? undefined : hrefTo(withFilter(address, filter)),
  }
}
