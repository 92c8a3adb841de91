import { type Flag, type Input, NAME, type RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import type { Response } from '#cli/http/client'
import type { Answer, Call } from '#cli/http/endpoint'
import { type Block, heading } from '#cli/print/blocks'
import { openScreen } from '#cli/print/screen'
import type { Session } from '#cli/run-context'
import { cleanText } from '#core/text/clean-text'

const FLAGS: readonly Flag[] = [
  { flags: '--interval <seconds>', as: 'whole', preset: 5, help: 'time between two pictures (default: 5)' },
  {
    flags: '--window <seconds>',
    parameter: 'window',
    as: 'whole',
    help: 'what counts as now, 10 to 300 (default: 60)',
  },
  {
    flags: '--after <cursor>',
    parameter: 'after',
    help: 'one picture of what came since: cursor of an earlier --json answer',
  },
  { flags: '--once', as: 'switch', help: 'one picture; so it is in a pipe and with --json' },
]

export const live: RunCommand = {
  name: 'live',
  group: 'Reports',
  args: [{ ...NAME, help: 'name or id of the project (default: the oldest)', optional: true }],
  flags: FLAGS,
  summary: 'Who is there now; redraws until you press Ctrl-C',
  example: '--demo live demo --once',
  async run(input, session) {
    const { output, globals } = session
    const { once = false, after } = input.options
    const isOnce = once === true || after !== undefined || globals.json === true || globals.csv === true
    const redraws = output.isTerminal && !isOnce
    if (redraws) return redraw(input, session)
    const { answer, text } = await readLive(input, session)
    session.print(liveBlocks(answer), text)
  },
}

const END = 'Ctrl-C ends it.'

/** Draws a picture every interval until the process is interrupted. A service that is away may come back. */
async function redraw(input: Input, session: Session): Promise<never> {
  const interval = Math.max(1, Number(input.options.interval ?? 5)) * 1_000
  const { stdout, clock } = session.io
  let last = await readLive(input, session)
  let status = END
  const screen = openScreen(session.io)
  const draw = () => screen.draw(session.render(liveBlocks(last.answer), last.text), status)
  stdout.on('resize', draw)
  try {
    for (;;) {
      draw()
      await clock.sleep(interval)
      try {
        last = await readLive(input, session)
        status = END
      } catch (error) {
        if (!(error instanceof CommandError) || !error.problem.retryable) throw error
        status = `This is the last picture. ${cleanText(error.problem.message, 200)} ${END}`
      }
    }
  } finally {
    stdout.off('resize', draw)
    screen.close()
  }
}

function readLive(input: Input, { client }: Session): Promise<Response<'GET /live'>> {
  return client(liveCall(input)).catch(withoutPlan)
}

function liveCall({ args, options }: Input): Call<'GET /live'> {
  const { window, after } = options
  return { endpoint: 'GET /live', query: { project: args.NAME, window, after } }
}

function withoutPlan(error: unknown): never {
  if (error instanceof CommandError && error.problem.error === 'PRO_REQUIRED') {
    throw new CommandError({ ...error.problem, message: 'The plan of this account has no live view.' })
  }
  throw error
}

function liveBlocks(answer: Answer<'GET /live'>): Block[] {
  return [
    heading(`${answer.project}, the last ${answer.window_seconds} s`),
    {
      kind: 'facts',
      facts: [
        ['Visitors', answer.active_visitors, 'count'],
        ['Sessions', answer.active_sessions, 'count'],
        ['Events a minute', answer.events_per_minute, 'count'],
      ],
    },
    {
      kind: 'table',
      name: 'recent',
      title: 'Newest events',
      columns: [
        { key: 'timestamp', title: 'Time (UTC)', as: 'time' },
        { key: 'event', title: 'Event' },
        { key: 'country', title: 'Country' },
        { key: 'path', title: 'Page' },
        { key: 'user_id', title: 'User' },
      ],
      rows: answer.recent_events.map(event => ({ ...event, path: event.properties?.path })),
    },
    bars('pages', 'Pages', 'path', 'visitors', answer.top_pages),
    bars('events', 'Events', 'event', 'count', answer.top_events),
    bars('countries', 'Countries', 'country', 'visitors', answer.countries),
  ]
}

function bars(
  name: string,
  title: string,
  label: string,
  value: string,
  rows: readonly Record<string, unknown>[],
): Block {
  return {
    kind: 'bars',
    name,
    title,
    label: { key: label, title: label },
    value: { key: value, title: value, as: 'count' },
    rows,
  }
}
