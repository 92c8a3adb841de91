import { COMPARE, days, limit, projectRead, QUESTION } from '#cli/command'
import type { Row, TableBlock } from '#cli/print/blocks'
import { besideCompared } from '#cli/print/compared'
import { reportHeading } from '#cli/print/periods'

export const pages = projectRead<'GET /pages'>({
  name: 'pages',
  endpoint: 'GET /pages',
  summary: 'Pages on which sessions began or ended',
  flags: [
    { flags: '--type <type>', parameter: 'type', choices: ['entry', 'exit', 'both'], help: 'default: entry' },
    limit(20, 'pages'),
    days(7),
    ...QUESTION,
    COMPARE,
  ],
  example: '--demo pages demo --type both',
  print: answer =>
    besideCompared(answer, ({ project, period, entry_pages, exit_pages }) => [
      reportHeading(project, period),
      ...(entry_pages === undefined ? [] : [pageTable('entry_pages', 'Entry pages', entry_pages)]),
      ...(exit_pages === undefined ? [] : [pageTable('exit_pages', 'Exit pages', exit_pages)]),
    ]),
})

function pageTable(name: string, title: string, rows: readonly Row[]): TableBlock {
  return {
    kind: 'table',
    name,
    title,
    columns: [
      { key: 'page', title: 'Page' },
      { key: 'sessions', title: 'Sessions', as: 'count' },
      { key: 'bounce_rate', title: 'Bounce', as: 'rate' },
      { key: 'avg_duration', title: 'Mean length', as: 'duration' },
      { key: 'avg_events', title: 'Events each', as: 'number' },
    ],
    rows,
  }
}
