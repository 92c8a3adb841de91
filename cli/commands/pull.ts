import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { PassThrough, type Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { type Flag, type Input, NAME, type RunCommand } from '#cli/command'
import { CommandError, usage } from '#cli/errors'
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
  {
    flags: '--apply-erasures',
    as: 'switch',
    help: 'removes from an existing copy the people who were erased since',
  },
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
    const into = resolve(String(options.into))
    const name = args.NAME as string
    const folder = mkdtempSync(join(tmpdir(), 'footfall-pull-'))
    try {
      if (options.applyErasures !== true) return await pullEvents(session, { name, into, options, folder })
      if (options.since !== undefined)
        throw usage(
          'Options --since and --apply-erasures exclude each other.',
          'A copy keeps its first day. Leave --since out.',
        )
      await applyErasures(session, { name, into, folder })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** `folder`: for what is on its way. */
type Pull = { name: string; into: string; folder: string }

async function pullEvents(
  session: Session,
  { name, into, options, folder }: Pull & { options: Input['options'] },
): Promise<void> {
  const { io, client } = session
  const { answer: project } = await client({ endpoint: 'GET /projects/{id}', path: { id: name } })
  const range = rangeOf(project.created_at, options.since, io.clock.now())
  const rows = join(folder, 'events.jsonl')
  const counts = join(folder, 'counts.json')
  writeFileSync(rows, '', { mode: 0o600 })
  // Ask before reading the events. A person who is erased during the read may still be in the copy, so the
  // next list must contain that erasure.
  const erasures_since = await erasuresFromNow(session, project.id)
  const before = await countByDay(session, project.id, range)
  await session.during('Reading events', () => writeRows(session, project.id, range, rows))
  const after = await countByDay(session, project.id, range)
  writeFileSync(counts, JSON.stringify({ before, after }), { mode: 0o600 })
  const origin = JSON.stringify({ project: project.name, project_id: project.id, erasures_since })
  session.exitCode = await runPull(session, [
    ...['write', '--rows', rows, '--counts', counts, '--into', into, '--origin', origin],
  ])
  if (session.exitCode === 0 && erasures_since === null)
    session.say('Without the scope exports:read the copy cannot apply later erasures: delete it after one.')
}

/** Refusals that say that there is no list for this caller: a scope is missing, or the service is older. */
const NO_LIST = ['FORBIDDEN', 'NOT_FOUND']

/** Where the list of erasures goes on from now; null without the right to read it, or without the list. */
async function erasuresFromNow({ client }: Session, project: string): Promise<string | null> {
  try {
    return (await client({ endpoint: 'GET /erasures', query: { project } })).answer.next_since
  } catch (error) {
    if (!(error instanceof CommandError) || !NO_LIST.includes(error.problem.error)) throw error
    return null
  }
}

async function applyErasures(session: Session, { name, into, folder }: Pull): Promise<void> {
  const stdout = new PassThrough()
  const described = textOf(stdout)
  session.exitCode = await runPull(session, ['describe', '--into', into], stdout)
  stdout.end()
  const origin = await described
  if (session.exitCode !== 0) return
  const { project_id, erasures_since } = JSON.parse(origin) as Record<string, string>
  const erasures = join(folder, 'erasures.jsonl')
  writeFileSync(erasures, '', { mode: 0o600 })
  const since = await writeErasures(session, { name, project_id, since: erasures_since }, erasures)
  session.exitCode = await runPull(session, [
    ...['apply', '--into', into, '--erasures', erasures, '--since', since],
  ])
}

/** Writes the list of erasures since then as lines. Returns where it goes on next time. */
async function writeErasures(
  { client }: Session,
  { name, project_id, since }: Partial<Record<'name' | 'project_id' | 'since', string>>,
  file: string,
): Promise<string> {
  // Keep `next_since` of the first page. The next call then also lists erasures that are noted while the
  // later pages are read.
  let next: string | undefined
  for (let after: string | undefined; ; ) {
    const { answer } = await client({
      endpoint: 'GET /erasures',
      query: { project: name, since, ...(after !== undefined && { after }) },
    }).catch(error => {
      throw error instanceof CommandError && error.problem.error === 'INVALID_SINCE' ? TOO_OLD : error
    })
    if (answer.project_id !== project_id)
      throw usage(
        `The copy is of another project than ${name}.`,
        'Name the project of the copy: its table `pulled` says which.',
      )
    appendFileSync(file, answer.erasures.map(erasure => `${JSON.stringify(erasure)}\n`).join(''))
    next ??= answer.next_since
    if (answer.next_after === null) return next
    after = answer.next_after
  }
}

const TOO_OLD = new CommandError({
  error: 'INVALID_SINCE',
  message: 'The copy is older than the list of erasures, which goes back 38 days.',
  suggested_action: 'Delete the copy, and pull again.',
})

/** Runs the program of the service that writes files. `stdout`: in the place of that of this process. */
function runPull({ io, globals }: Session, words: readonly string[], stdout?: Writable): Promise<number> {
  const json = globals.json === true ? ['--json'] : []
  const output = stdout && { stdout, stderr: io.stderr }
  return runServiceProgram('local/pull/main.ts', 'pull', io, [...words, ...json], output)
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
        date_from: day(from),
        date_to: day(to),
        tz: 'UTC',
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
