import { callCommand, type Flag, type Input, parametersOf } from '#cli/command'
import { type CommandError, usage } from '#cli/errors'
import type { Answer, Call } from '#cli/http/endpoint'
import { type Block, line } from '#cli/print/blocks'

type ScanEndpoint = 'POST /cli/website-scans' | 'POST /website-scans/{id}/upgrade' | 'GET /website-scans/{id}'
type Scan = Answer<ScanEndpoint>

const NEW: readonly Flag[] = [
  { flags: '--project <name>', parameter: 'project', help: 'the project of the site' },
  { flags: '--full', parameter: 'full', as: 'switch', help: 'read up to 26 pages instead of one' },
  { flags: '--focus <text>', parameter: 'focus', help: 'what you want to reach, in your words' },
]
const AGAIN: readonly Flag[] = [
  { flags: '--resume <id>', help: 'show this analysis instead; with --full make it a full one' },
  {
    flags: '--resume-token <token>',
    parameter: 'resume_token',
    help: 'of a preview that was made without an account',
  },
]

export const scan = callCommand<ScanEndpoint>({
  name: 'scan',
  group: 'Projects',
  effect: 'changes',
  hasTable: true,
  args: [{ name: 'URL', help: 'address of the website', optional: true }],
  flags: [...NEW, ...AGAIN],
  summary: 'Reads a website and says which events to track first, with a prompt for a coding agent',
  example: 'scan https://www.example.com --project shop --dry-run',
  call: toCall,
  print: describe,
})

function toCall(input: Input): Call<ScanEndpoint> {
  const { args, options } = input
  if ((args.URL === undefined) === (options.resume === undefined)) throw oneSite()
  if (options.resume === undefined) {
    return { endpoint: 'POST /cli/website-scans', body: { url: args.URL, ...parametersOf(NEW, input) } }
  }
  const path = { id: String(options.resume) }
  const token = parametersOf(AGAIN, input)
  if (options.full !== true) return { endpoint: 'GET /website-scans/{id}', path, query: token }
  return { endpoint: 'POST /website-scans/{id}/upgrade', path, body: { ...token, project: options.project } }
}

function describe(answer: Scan): Block[] {
  const result = answer.result ?? answer.preview
  const facts: Block = {
    kind: 'facts',
    facts: [
      ['Analysis', answer.analysis_id],
      ['Site', answer.normalized_url],
      ['Status', `${answer.status}, ${answer.mode}`],
      ...refusedOrigin(answer),
    ],
  }
  if (result === undefined) return [facts, line(answer.failure?.message ?? answer.agent_handoff.prompt)]
  return [
    facts,
    line(result.framing),
    {
      kind: 'table',
      name: 'events',
      title: 'Events to track first',
      columns: [
        { key: 'priority', title: '#', as: 'count' },
        { key: 'event', title: 'Event' },
        { key: 'why_this_matters_now', title: 'Why now' },
      ],
      rows: result.minimum_viable_instrumentation,
    },
    {
      kind: 'table',
      name: 'blind_spots',
      title: 'What nobody can see now',
      columns: [{ key: 'blind_spot', title: 'Blind spot' }],
      rows: result.current_blindspots.map(blind_spot => ({ blind_spot })),
    },
    {
      kind: 'table',
      name: 'not_needed_yet',
      title: 'Not needed yet',
      columns: [
        { key: 'event', title: 'Event' },
        { key: 'reason', title: 'Reason' },
        { key: 'revisit_when', title: 'Again when' },
      ],
      rows: result.not_needed_yet,
    },
    { kind: 'source', title: answer.agent_handoff.label, text: answer.agent_handoff.prompt },
  ]
}

/** The project takes no events of the site: nobody would see it before they are missing (U117). */
function refusedOrigin({ site_origin }: Scan): [string, string][] {
  // A service of before does not say it.
  const { origin, change = null } = site_origin ?? {}
  if (change === null) return []
  return [
    [
      'Origin',
      `The project takes no events from ${origin}. Set its allowed origins to ${change.body.allowed_origins}`,
    ],
  ]
}

function oneSite(): CommandError {
  return usage(
    'Give the address of a website, or --resume with the id of an analysis.',
    'For example: footfall scan https://www.example.com --project shop',
  )
}
