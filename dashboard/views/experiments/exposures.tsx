import { marksOf } from '#dashboard/annotations'
import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { SeriesChart } from '#dashboard/charts/series.tsx'
import { bucketLabel, dateOf, formatted, shortened } from '#dashboard/format'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { addDays, bucketsOf, today, zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'
import type { Experiment } from './experiment.ts'
import { EXPOSURE_DAYS } from './requests.ts'

type Query = Answer<'POST /query'>
type Props = { address: Address; data: Experiment; answer: Known<Query> }

/**
 * Exposures of each variant by day. The service has rates of the whole time alone, so there is no course of
 * them.
 */
export function Exposures({ address, data, answer }: Props) {
  return (
    <Panel title="Exposures by day" wide>
      <Answered answer={answer}>
        {query => (
          <>
            <Courses address={address} data={data} query={query} />
            <CutNote answer={answer} />
          </>
        )}
      </Answered>
    </Panel>
  )
}

type CoursesProps = { address: Address; data: Experiment; query: Query }

function Courses({ address, data, query: { rows, project_context } }: CoursesProps) {
  const zone = zoneOf(address)
  const { days, courses } = coursesOf(data, rows, zone)
  if (courses.every(({ values }) => values.every(value => value === 0))) {
    return <Empty title={`No exposure in the last ${EXPOSURE_DAYS} days`} />
  }
  const labels = days.map(day => ({ short: bucketLabel(day), long: bucketLabel(day, 'long') }))
  const marks = marksOf(project_context, { buckets: days, to: days.at(-1) ?? '', zone })
  return (
    <ChartFrame
      name="Exposures by day"
      table={{
        columns: ['day', ...courses.map(({ key }) => key)],
        rows: days.map((day, i) => [day, ...courses.map(({ values }) => values[i] ?? 0)]),
      }}
    >
      <div class="courses">
        {courses.map(({ key, values }) => (
          <figure key={key}>
            <figcaption>
              {key} <small>{formatted(values.reduce((sum, value) => sum + value, 0))}</small>
            </figcaption>
            <SeriesChart
              name={`Exposures of ${key} by day`}
              labels={labels}
              lines={[{ name: key, values }]}
              marks={marks}
              format={value => shortened(value)}
              height={130}
            />
          </figure>
        ))}
      </div>
    </ChartFrame>
  )
}

/** A value for each day since the experiment began, without forced exposures, as the results count them. */
function coursesOf(
  { created_at, completed_at, variants }: Experiment,
  rows: Query['rows'],
  zone: string,
): { days: string[]; courses: { key: string; values: number[] }[] } {
  const last = completed_at === null ? today(zone) : dateOf(Date.parse(completed_at), zone)
  const earliest = addDays(today(zone), 1 - EXPOSURE_DAYS)
  const began = dateOf(Date.parse(created_at), zone)
  const days = bucketsOf(began > earliest ? began : earliest, last, 'day')
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (String(row['properties.forced']) === 'true') continue
    const key = `${row.date} ${row['properties.variant']}`
    counts.set(key, (counts.get(key) ?? 0) + Number(row.event_count))
  }
  const courses = variants.map(({ key }) => ({
    key,
    values: days.map(day => counts.get(`${day} ${key}`) ?? 0),
  }))
  return { days, courses }
}
