import { days, projectRead, QUESTION } from '#cli/command'
import { formatted } from '#cli/print/format'
import { reportHeading } from '#cli/print/periods'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'))

export const heatmap = projectRead<'GET /heatmap'>({
  name: 'heatmap',
  endpoint: 'GET /heatmap',
  summary: 'Events by weekday and hour, with the peak',
  flags: [...QUESTION, days(7)],
  example: '--demo heatmap demo',
  print({ project, period, heatmap: cells = [], peak, busiest_day, busiest_hour }) {
    const events = new Map(cells.map(cell => [`${cell.day} ${cell.hour}`, cell.events]))
    return [
      reportHeading(project, period),
      {
        kind: 'grid',
        name: 'heatmap',
        corner: 'Day',
        columns: HOURS,
        rows: DAYS.map((label, day) => ({
          label,
          cells: HOURS.map((_, hour) => events.get(`${day} ${hour}`) ?? 0),
        })),
        cells: 'shade',
      },
      {
        kind: 'facts',
        facts: [
          [
            'Peak',
            peak == null
              ? null
              : `${peak.day_name} ${hourOf(peak.hour)}, ${formatted(peak.events, 'count')} events`,
          ],
          ['Busiest day', busiest_day],
          ['Busiest hour', busiest_hour == null ? null : hourOf(busiest_hour)],
        ],
      },
    ]
  },
})

function hourOf(hour: number): string {
  return `${HOURS[hour]}:00`
}
