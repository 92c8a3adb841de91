import { type Flag, projectRead, TZ } from '#cli/command'
import { line } from '#cli/print/blocks'
import { deltaTable } from '#cli/print/deltas'
import { reportHeading } from '#cli/print/periods'

export const PERIOD: Flag = {
  flags: '--period <length>',
  parameter: 'period',
  choices: ['1d', '7d', '14d', '30d', '90d'],
  help: 'the dates that end today, beside as many before them (default: 7d)',
}

export const insights = projectRead<'GET /insights'>({
  name: 'insights',
  endpoint: 'GET /insights',
  summary: 'Each number now, before, and how it changed',
  flags: [PERIOD, TZ],
  example: '--demo insights demo --period 14d',
  print: (answer, { response }) => [
    reportHeading(answer.project, answer.current_period),
    line(`Before: ${answer.previous_period.from} to ${answer.previous_period.to}. Trend: ${answer.trend}.`),
    deltaTable(
      'metrics',
      [
        ['Events', answer.metrics.total_events, 'count'],
        ['Visitors', answer.metrics.unique_users, 'count'],
        ['Sessions', answer.metrics.total_sessions, 'count'],
        ['Bounce rate', answer.metrics.bounce_rate, 'rate'],
        ['Mean length', answer.metrics.avg_duration, 'duration'],
      ],
      { from: answer.previous_period.from, headers: response.headers },
    ),
  ],
})
