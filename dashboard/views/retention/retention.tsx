import { useMemo } from 'preact/hooks'
import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { Grid, type GridCell } from '#dashboard/charts/grid.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { datesLabel, formatted } from '#dashboard/format'
import { go, hrefTo } from '#dashboard/navigate'
import { EventChoice } from '#dashboard/parts/event-choice.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import type { Caveats } from '#schemas/caveats'
import { CellPanel } from './cell-panel.tsx'
import { cohortLabel, cohortsOf, PERIODS, type Period, periodOfCohorts, placeOf } from './cohorts.ts'
import type { RetentionRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<RetentionRequests> }
type Data = Answer<'GET /retention'>

const TITLES: Record<Period, string> = { day: 'Days', week: 'Weeks', month: 'Months' }

/** How many of those who came first in one period came back in later ones. */
export function Retention({ address, answers: { events, retention, people } }: Props) {
  const period = periodOfCohorts(address)
  const place = placeOf(address)
  const names = events.data?.events.map(({ event }) => event) ?? []
  const change = (changes: Record<string, readonly string[]>) =>
    go(withOwn(address, { cell: [], gone: [], ...changes }))
  const tabs = PERIODS.map(each => ({
    title: TITLES[each],
    href: hrefTo(withOwn(address, { period: each === 'week' ? [] : [each], cell: [], gone: [] })),
    isOpen: each === period,
  }))
  return (
    <>
      <Panel
        title="Cohorts"
        tabs={tabs}
        note={retention.data && noteOf(address, period, retention.data.range)}
        wide
      >
        <div class="choices">
          <EventChoice
            title="Joined with"
            none="their first session"
            value={ownValue(address, 'event') ?? ''}
            names={names}
            choose={event => change({ event: event === '' ? [] : [event] })}
          />
          <EventChoice
            title="Came back with"
            none={ownValue(address, 'event') ? 'the same event' : 'any session'}
            value={ownValue(address, 'back') ?? ''}
            names={names}
            choose={event => change({ back: event === '' ? [] : [event] })}
          />
        </div>
        <Answered answer={retention}>
          {data => <Cohorts address={address} data={data} answer={retention} />}
        </Answered>
      </Panel>
      {place !== null && retention.data !== undefined && (
        <CellPanel address={address} place={place} answer={retention} data={retention.data} people={people} />
      )}
      {retention.data !== undefined && <Curve data={retention.data} />}
    </>
  )
}

/** A cohort is a whole period, so the first one may begin before the chosen dates. */
function noteOf(address: Address, period: Period, { from, to }: Data['range']): string {
  const periods = TITLES[period].toLowerCase()
  const which = cohortsOf(address).isCut ? `the last ${periods}` : `the whole ${periods}`
  return `${datesLabel(from, to)}: ${which} of the chosen dates.`
}

type CohortsProps = { address: Address; data: Data; answer: Known<Data> }

function Cohorts({ address, data, answer }: CohortsProps) {
  const { cohorts, period, average_rates, users_analyzed, total_users } = data
  const { caveats = [] } = data as { caveats?: Caveats }
  if (cohorts.length === 0) {
    return (
      <Empty title="Nobody joined in these cohorts">
        {ownValue(address, 'event') === undefined
          ? 'Choose a longer range above.'
          : 'Nobody sent the event that makes people join. Choose another one, or a longer range above.'}
      </Empty>
    )
  }
  const length = Math.max(...cohorts.map(({ rates }) => rates.length))
  const columns = Array.from({ length }, (_, i) => String(i))
  const later = [...average_rates.slice(1), ...cohorts.flatMap(({ rates }) => rates.slice(1))]
  const most = Math.max(0.01, ...later)
  const place = placeOf(address)
  const cellOf = (rate: number, offset: number): NonNullable<GridCell> => ({
    text: formatted(rate, 'rate'),
    // The first column is always everybody, so the others have the scale for themselves.
    share: offset === 0 ? 0 : (rate / most) * 0.9,
  })
  const rows = cohorts.map(({ date, users, rates, retained }) => {
    const label = cohortLabel(date, period)
    return {
      key: date,
      label,
      note: formatted(users),
      cells: rates.map((rate, offset): GridCell => {
        const isChosen = place?.date === date && place.offset === offset
        return {
          ...cellOf(rate, offset),
          title: `${formatted(retained[offset])} of ${formatted(users)}`,
          label: `${formatted(rate, 'rate')}, ${label}, ${period} ${offset}. What is behind it`,
          href: hrefTo(withOwn(address, { cell: isChosen ? [] : [`${date}:${offset}`], gone: [] })),
          isChosen,
        }
      }),
    }
  })
  const table = {
    columns: ['cohort', 'users', ...columns.map(i => `${period}_${i}`)],
    rows: cohorts.map(({ date, users, retained }) => [
      date,
      users,
      ...columns.map((_, i) => retained[i] ?? null),
    ]),
  }
  return (
    <>
      <ChartFrame name="Retention" table={table}>
        <Grid
          name={`Retention by ${period}`}
          corner={
            period === 'month' ? 'Joined in' : period === 'week' ? 'Joined in the week of' : 'Joined on'
          }
          columns={columns}
          rows={[
            {
              key: 'average',
              label: 'All',
              note: formatted(users_analyzed),
              cells: average_rates.map(cellOf),
            },
            ...rows,
          ]}
        />
      </ChartFrame>
      <p class="cut">
        Column 1 is the {period} after the one in which they joined. The last cell of each row is the running{' '}
        {period}, so it still grows. The range of the other views does not count here.
      </p>
      {caveats.some(({ code }) => code === 'LEFT_CUT_COHORT') && cohorts.length > 1 && (
        <p class="cut">
          The average is without the {period} in which the data begin: whoever came before counts as new in
          it.
        </p>
      )}
      {total_users !== undefined && (
        <p class="cut">
          An even sample of {formatted(users_analyzed)} of {formatted(total_users)} people.
        </p>
      )}
      <p class="quiet">
        Visitors in these cohorts:{' '}
        <Num name="cohort" answer={answer} class="inline">
          {formatted(users_analyzed)}
        </Num>
      </p>
    </>
  )
}

/** The mean of all cohorts, so that the shape of the loss is seen at once. */
function Curve({ data: { average_rates, period } }: { data: Data }) {
  const labels = useMemo(
    () => average_rates.map((_, i) => ({ short: String(i), long: `${period} ${i}` })),
    [average_rates, period],
  )
  const lines = useMemo(() => [{ name: 'Came back', values: average_rates }], [average_rates])
  if (average_rates.length < 3) return null
  const name = `Part of all that came back, by ${period}`
  return (
    <Panel title="On average" wide>
      <ChartFrame
        name={name}
        table={{
          columns: [period, 'rate'],
          units: [undefined, '0 to 1'],
          rows: average_rates.map((rate, i) => [i, rate]),
        }}
      >
        <SeriesChart
          name={name}
          labels={labels}
          lines={lines}
          format={value => formatted(value, 'rate')}
          height={180}
        />
      </ChartFrame>
    </Panel>
  )
}
