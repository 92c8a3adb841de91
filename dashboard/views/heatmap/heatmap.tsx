import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { Grid, type GridCell } from '#dashboard/charts/grid.tsx'
import { useWidth } from '#dashboard/charts/use-width'
import { datesLabel, formatted, headline, hourLabel, shortened, weekdayLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { daysBetween, zoneOf } from '#dashboard/range'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import type { HeatmapRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<HeatmapRequests> }
type Data = Answer<'GET /heatmap'>
type Cell = NonNullable<Data['heatmap']>[number]

const MEASURES = { events: 'Events', users: 'Visitors' } as const
type Measure = keyof typeof MEASURES

/** Monday first; the API counts from Sunday. */
const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0]
const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
/** Below it the hours stand one below the other, so that a phone shows all of a week, px. */
const NARROW = 700

/** When people come: hours by weekdays, in the chosen zone. */
export function Heatmap({ address, answers: { heatmap } }: Props) {
  return (
    <Answered answer={heatmap}>{data => <Body address={address} data={data} answer={heatmap} />}</Answered>
  )
}

type BodyProps = { address: Address; data: Data; answer: Known<Data> }

function Body({ address, data, answer }: BodyProps) {
  const { ref, width } = useWidth<HTMLDivElement>(1_000)
  const measure: Measure = ownValue(address, 'of') === 'users' ? 'users' : 'events'
  const cells = new Map((data.heatmap ?? []).map(cell => [`${cell.day} ${cell.hour}`, cell]))
  const most = [...cells.values()].reduce((max, cell) => Math.max(max, cell[measure]), 0)
  if (most === 0) {
    return (
      <Empty title="No events in this range">
        Choose a longer range. The pictures of all views begin with the first event.
      </Empty>
    )
  }
  const at = (day: number, hour: number): number => cells.get(`${day} ${hour}`)?.[measure] ?? 0
  const cellOf = (day: number, hour: number): GridCell => {
    const value = at(day, hour)
    const time = `${weekdayLabel(day)} ${hourLabel(hour)}`
    return {
      text: shortened(value),
      share: value / most,
      title: `${time}: ${formatted(value)} ${MEASURES[measure].toLowerCase()}`,
    }
  }
  const isNarrow = width < NARROW
  const name = `${MEASURES[measure]} by weekday and hour`
  const table = {
    columns: ['weekday', 'hour', 'events', 'users'],
    rows: WEEKDAYS.flatMap(day =>
      HOURS.map(hour => {
        const cell = cells.get(`${day} ${hour}`)
        return [weekdayLabel(day), hour, cell?.events ?? 0, cell?.users ?? 0]
      }),
    ),
  }
  return (
    <>
      <Peaks data={data} answer={answer} />
      <Panel
        title="Hours of the week"
        wide
        tabs={(Object.keys(MEASURES) as Measure[]).map(each => ({
          title: MEASURES[each],
          href: hrefTo(withOwn(address, { of: each === 'events' ? [] : [each] })),
          isOpen: each === measure,
        }))}
      >
        <div ref={ref} class="heatmap">
          <ChartFrame name={name} table={table}>
            {isNarrow ? (
              <Grid
                name={name}
                corner="Hour"
                columns={WEEKDAYS.map(day => weekdayLabel(day, 'short'))}
                rows={HOURS.map(hour => ({
                  key: String(hour),
                  label: hourLabel(hour),
                  cells: WEEKDAYS.map(day => cellOf(day, hour)),
                }))}
              />
            ) : (
              <Grid
                name={name}
                corner="Day"
                columns={HOURS.map(hour => String(hour))}
                rows={WEEKDAYS.map(day => ({
                  key: String(day),
                  label: weekdayLabel(day),
                  cells: HOURS.map(hour => cellOf(day, hour)),
                }))}
              />
            )}
          </ChartFrame>
        </div>
        <p class="cut">
          {datesLabel(data.period.from, data.period.to)}, hours of {zoneOf(address).replaceAll('_', ' ')}.{' '}
          {unevenWords(data.period)}
        </p>
      </Panel>
    </>
  )
}

/** A range that is no whole weeks has some weekdays more often than others. */
function unevenWords({ from, to }: Data['period']): string {
  const days = daysBetween(from, to) + 1
  return days % 7 === 0
    ? ''
    : `The range has ${days} dates, so some weekdays are in it once more than others; 7 or 14 days have each equally often.`
}

function Peaks({
  data: { peak, busiest_day, busiest_hour, heatmap = [] },
  answer,
}: Omit<BodyProps, 'address'>) {
  if (peak == null) return null
  const sum = (isIt: (cell: Cell) => boolean) =>
    heatmap.filter(isIt).reduce((all, { events }) => all + events, 0)
  const day = heatmap.find(({ day_name }) => day_name === busiest_day)?.day
  const tiles: [name: string, title: string, when: string, events: number][] = [
    ['peak', 'Peak', `${weekdayLabel(peak.day)} ${hourLabel(peak.hour)}`, peak.events],
  ]
  if (day !== undefined) tiles.push(['day', 'Busiest day', weekdayLabel(day), sum(cell => cell.day === day)])
  if (busiest_hour != null)
    tiles.push(['hour', 'Busiest hour', hourLabel(busiest_hour), sum(cell => cell.hour === busiest_hour)])
  return (
    <dl class="tiles">
      {tiles.map(([name, title, when, events]) => (
        <div key={name} data-number={name}>
          <dt>
            {title}: <b>{when}</b>
          </dt>
          <dd>
            <Num name="events" answer={answer}>
              {headline(events)}
            </Num>
            <small>events</small>
          </dd>
        </div>
      ))}
    </dl>
  )
}
