import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Flag, NAME, type RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import type { Session } from '#cli/run-context'
import { runServiceProgram } from '#cli/service-program'

/** Events of a page, and days of a count: the most that a read returns. */
const PAGE = 1_000
const DAY_MS = 86_400_000
/** An event may be dated so long before its project was created, and so long ahead. */
const PAST_DAYS = 31
const AHEAD_DAYS = 1

const FLAGS: readonly Flag[] = [
  {
    flags: '--into <place>',
    required: true,
    help: 'a new file that ends in .duckdb, or a new folder for files of Parquet',
  },
  { flags: '--since <date>', help: 'the first day, YYYY-MM-DD in UTC (default: all events)' },
]

type Counts = Record<string, number>
type Range = { since: string; until: string }

/** Takes the data of a project away: a file that DuckDB opens, or Parquet. */
export const pull: RunCommand = {
  name: 'pull',
  group: 'Tools',
  args: [NAME],
  flags: FLAGS,
  summary: 'Writes all events of a project, its sessions and people into a file of DuckDB or into Parquet',
  example: '--demo pull demo --into /tmp/footfall-demo.duckdb',
  async run({ args, options }, session) {
    const { io, client, globals } = session
    const { answer: project } = await client({
      endpoint: 'GET /projects/{id}',
      path: { id: args.NAME as string },
    })
    const range = rangeOf(project.created_at, options.since, io.clock.now())
    const folder = mkdtempSync(join(tmpdir(), 'footfall-pull-'))
    try {
      const rows = join(folder, 'events.jsonl')
      const counts = join(folder, 'counts.json')
      writeFileSync(rows, '', { mode: 0o600 })
      const before = await countByDay(session, project.id, range)
      await session.during('Reading events', () => writeRows(session, project.id, range, rows))
      const after = await countByDay(session, project.id, range)
      writeFileSync(counts, JSON.stringify({ before, after }), { mode: 0o600 })
      session.exitCode = await runServiceProgram('local/pull/main.ts', 'pull', io, [
        ...['--rows', rows, '--counts', counts, '--into', resolve(String(options.into))],
        ...(globals.json === true ? ['--json'] : []),
      ])
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

function rangeOf(createdAt: string, since: unknown, now: number): Range {
  const day = (at: number) => new Date(at).toISOString().slice(0, 10)
  const first = day(Date.parse(createdAt) - PAST_DAYS * DAY_MS)
  if (since !== undefined && !/^\d{4}-\d{2}-\d{2}$/.test(String(since)))
    throw new CommandError({
      error: 'INVALID_SINCE',
      message: 'Option `--since` must be a date such as `2026-11-01`.',
      suggested_action: 'Correct it, or leave it out for all events.',
    })
  return { since: since === undefined ? first : String(since), until: day(now + AHEAD_DAYS * DAY_MS) }
}

/** The events of each UTC day as the service counts them. */
async function countByDay({ client }: Session, project: string, { since, until }: Range): Promise<Counts> {
  const counts: Counts = {}
  const end = Date.parse(until)
  for (let from = Date.parse(since); from <= end; from += PAGE * DAY_MS) {
    const to = Math.min(end, from + (PAGE - 1) * DAY_MS)
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const { answer } = await client({
      endpoint: 'POST /query',
      body: {
        ...{ project, metrics: ['event_count'], group_by: ['date'], count_mode: 'raw', limit: PAGE },
        ...{ date_from: day(from), date_to: day(to), tz: 'UTC' },
      },
    })
    for (const { date, event_count } of answer.rows) counts[String(date)] = Number(event_count)
  }
  return counts
}

async function writeRows({ client }: Session, project: string, range: Range, file: string): Promise<void> {
  for (let before: string | null | undefined; before !== null; ) {
    const { answer } = await client({
      endpoint: 'POST /events',
      body: { project, ...range, tz: 'UTC', limit: PAGE, ...(before !== undefined && { before }) },
    })
    appendFileSync(file, answer.events.map(event => `${JSON.stringify(event)}\n`).join(''))
    before = answer.next_before
  }
}
