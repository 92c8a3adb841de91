import { COMPARE, days, limit, projectRead, QUESTION } from '#cli/command'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'
import { nextPage } from './events.ts'

export const sessions = projectRead<'GET /sessions'>({
  name: 'sessions',
  endpoint: 'GET /sessions',
  summary: 'Sessions, newest first: length, bounce, entry and exit',
  flags: [
    days(7),
    ...QUESTION,
    limit(100, 'sessions'),
    { flags: '--user-id <id>', parameter: 'user_id', help: 'only of this person, by any of their ids' },
    {
      flags: '--bounce <0|1>',
      parameter: 'is_bounce',
      choices: ['0', '1'],
      help: '1: only bounces, 0: only the others',
    },
    { flags: '--has-replay', parameter: 'has_replay', as: 'switch', help: 'only those with a replay' },
    {
      flags: '--before <cursor>',
      parameter: 'before',
      help: 'older sessions: the cursor that the last line named',
    },
  ],
  example: '--demo sessions demo --limit 10',
  print: answer => [
    reportHeading(answer.project, answer.period),
    {
      kind: 'table',
      name: 'sessions',
      columns: [
        { key: 'start_time', title: 'Start (UTC)', as: 'time' },
        { key: 'duration', title: 'Length', as: 'duration' },
        { key: 'event_count', title: 'Events', as: 'count' },
        { key: 'bounce', title: 'Bounce' },
        { key: 'entry_page', title: 'Entry' },
        { key: 'exit_page', title: 'Exit' },
        { key: 'user_id', title: 'User' },
        { key: 'replay', title: 'Replay' },
        { key: 'session_id', title: 'Session' },
      ],
      rows: (answer.sessions as Record<string, unknown>[]).map(row => ({
        ...row,
        bounce: row.is_bounce === 1 ? 'yes' : 'no',
        replay: row.has_replay === true ? `${row.replay_count}` : null,
      })),
    },
    ...nextPage(answer.next_before),
  ],
})

export const sessionsDist = projectRead<'GET /sessions/distribution'>({
  name: 'sessions-dist',
  endpoint: 'GET /sessions/distribution',
  summary: 'Sessions by their length, with the median and the engaged part',
  flags: [...QUESTION, COMPARE, days(7)],
  example: '--demo sessions-dist demo',
  print: compared =>
    besideCompared(compared, answer => [
      reportHeading(answer.project, answer.period),
      {
        kind: 'bars',
        name: 'distribution',
        title: 'Sessions by length',
        label: { key: 'bucket', title: 'Length' },
        value: { key: 'sessions', title: 'Sessions', as: 'count' },
        rows: answer.distribution,
      },
      {
        kind: 'facts',
        facts: [
          ['Median', answer.median_bucket],
          ['Engaged (30 s or more)', answer.engaged_pct, 'percent'],
        ],
      },
    ]),
})
