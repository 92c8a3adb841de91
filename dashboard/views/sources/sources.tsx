import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked, type RankedProps, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { formatted, numberOf } from '#dashboard/format'
import { NAMED_TABS } from '#dashboard/named-sources'
import { hrefTo } from '#dashboard/navigate'
import { GoalChoice } from '#dashboard/parts/goal-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { rowChanges } from '#dashboard/parts/row-changes'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { wholeOf } from '#dashboard/parts/whole'
import { unfilteredNote } from '#dashboard/question'
import { fromOutside, MAX_REFERRERS, shortAddress } from '#dashboard/referrers'
import { eventLabel, valueLabel } from '#dashboard/texts'
import { type Address, withFilter, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { NamedSources } from './named-sources.tsx'
import { LENGTH, openTab, type SourcesRequests, TABS, type Tab } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<SourcesRequests> }
type Row = Answer<'POST /query'>['rows'][number]

const NAMED =
  'A session counts for what brought it, and converts when the goal is in it (last touch). A visitor who came by two sources is in both rows.'
const LAST_TOUCH =
  'A session counts for what brought it (last touch), so a visitor who came by two sources is in both rows.'
const FIRST_TOUCH =
  'A visitor counts once, for what brought their first visit in these dates (first touch). So a source may have fewer visitors here than above.'

/**
 * The lists of readers who read GET /sources. Those by `utm_source` and `utm_campaign` have better ones
 * there, and stay open for older links.
 */
const TAB_ORDER = [...Object.keys(NAMED_TABS), 'utm_medium', 'utm_term', 'utm_content']

/** Where visits came from, and which sources bring people who do something. */
export function Sources({ address, answers: { named, list, hosts, events, conversion } }: Props) {
  const { named: by, property: tab } = openTab(address)
  const names = events.data?.events.map(({ event }) => event) ?? []
  const titles: Record<string, string> = { ...TABS }
  if (address.area !== 'share') for (const [key, { title }] of Object.entries(NAMED_TABS)) titles[key] = title
  const order = address.area === 'share' ? Object.keys(TABS) : TAB_ORDER
  const tabs = order.map((key, i) => ({
    title: titles[key] as string,
    href: hrefTo(withOwn(address, { by: i === 0 ? [] : [key] })),
    isOpen: key === (by ?? tab),
  }))
  if (tab === undefined || list === undefined)
    return (
      <Panel
        title="Sources"
        tabs={tabs}
        note={NAMED}
        wide
        actions={<GoalChoice address={address} names={names} />}
      >
        {named !== undefined && by !== undefined && (
          <Answered answer={named}>
            {data => <NamedSources data={data} answer={named} tab={by} address={address} />}
          </Answered>
        )}
      </Panel>
    )
  return (
    <>
      <Panel title="Sources" tabs={tabs} note={LAST_TOUCH} wide>
        <Answered answer={list}>
          {data => (
            <SourceList
              rows={rowsOf(data.rows, tab, hosts?.data?.rows)}
              data={data}
              answer={list}
              tab={tab}
              address={address}
              load={toRows =>
                wholeOf(list, whole => toRows(rowsOf(whole.rows, tab, hosts?.data?.rows, MAX_REFERRERS)))
              }
            />
          )}
        </Answered>
        {tab !== 'referrer' && <CutNote answer={list} />}
      </Panel>
      <Panel
        title="Who did something"
        wide
        note={unfilteredNote(address) ?? FIRST_TOUCH}
        actions={<GoalChoice address={address} names={names} />}
      >
        {conversion === undefined ? (
          <Empty title="Choose an event">Then this list shows how many visitors of each source did it.</Empty>
        ) : (
          <Answered answer={conversion}>
            {data => <Converted data={data} answer={conversion} tab={tab} />}
          </Answered>
        )}
      </Panel>
    </>
  )
}

type SourceListProps = {
  rows: readonly Row[]
  data: Answer<'POST /query'>
  answer: Known
  tab: Tab
  address: Address
  /** Requests for all rows. */
  load(toRows: (rows: readonly Row[]) => readonly RankedRow[]): RankedProps['load']
}

function SourceList({ rows, data: { previous }, answer, tab, address, load }: SourceListProps) {
  const field = `properties.${tab}`
  const most = Number(rows[0]?.unique_users ?? 0)
  if (rows.length === 0) {
    return (
      <Empty title={tab === 'referrer' ? 'No visit came from another site' : 'No visit names one'}>
        {tab !== 'referrer' && 'Add utm parameters to the links in your mails, posts and advertisements.'}
      </Empty>
    )
  }
  const before = previous && { ...previous, isCut: previous.truncated === true }
  const changes = rowChanges(before, answer, {
    key: row => String(row[field]),
    value: row => Number(row.unique_users),
  })
  const toRow = (row: Row): RankedRow => {
    const text = row[field] === null || row[field] === undefined ? null : String(row[field])
    return {
      key: String(text),
      label: labelOf(text, tab),
      title: valueLabel(text),
      href: text === null ? undefined : hrefTo(withFilter(address, { field, op: 'eq', value: text })),
      share: most === 0 ? 0 : Number(row.unique_users) / most,
      cells: [
        { value: Number(row.unique_users), as: 'count' },
        ...changes.cellOf(row),
        { value: Number(row.session_count), as: 'count' },
        { value: Number(row.event_count), as: 'count' },
        { value: numberOf(row.bounce_rate), as: 'rate' },
        { value: numberOf(row.avg_duration), as: 'duration' },
      ],
    }
  }
  return (
    <>
      <Ranked
        name="Sources by visitors"
        columns={[
          ...[TABS[tab], 'Visitors', ...changes.column],
          ...['Sessions', 'Events', 'Without interaction', 'Duration'],
        ]}
        rows={rows.map(toRow)}
        load={load(all => all.map(toRow))}
      />
      {changes.note !== null && <p class="cut">{changes.note}</p>}
    </>
  )
}

type ConvertedProps = { data: Answer<'GET /conversion'>; answer: Known; tab: Tab }

function Converted({ data: { users, converted, rate, values, goal }, answer, tab }: ConvertedProps) {
  if (users === 0) return <Empty title="Nobody in this range" />
  const best = values.reduce((most, each) => Math.max(most, each.rate), 0)
  return (
    <>
      <p>
        <Num name="conversion" answer={answer} class="inline">
          {formatted(rate, 'rate')}
        </Num>{' '}
        of {formatted(users)} visitors did {eventLabel(goal)}: {formatted(converted)}.
      </p>
      <Ranked
        name="Sources by conversion"
        columns={[TABS[tab], 'Visitors', 'Converted', 'Rate']}
        rows={values.map(({ value, users: all, converted: some, rate: part }) => ({
          key: value,
          label: labelOf(value, tab),
          title: value,
          share: best === 0 ? 0 : part / best,
          cells: [
            { value: all, as: 'count' },
            { value: some, as: 'count' },
            { value: part, as: 'rate' },
          ],
        }))}
      />
    </>
  )
}

function rowsOf(rows: readonly Row[], tab: Tab, hosts?: readonly Row[], most = LENGTH): readonly Row[] {
  if (tab === 'referrer') return fromOutside(rows, most, hosts)
  return rows.filter(row => row.other !== true && row[`properties.${tab}`] !== null)
}

function labelOf(text: string | null, tab: Tab): string {
  return tab === 'referrer' && text !== null ? shortAddress(text) : valueLabel(text)
}
