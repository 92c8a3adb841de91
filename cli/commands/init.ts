import { askYes } from '#cli/ask'
import { type Flag, type Input, parametersOf, type RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import type { Answer, Call } from '#cli/http/endpoint'
import type { Block } from '#cli/print/blocks'
import { printCall } from '#cli/print/dry-run'
import type { Session } from '#cli/run-context'
import { type FirstEvent, waitForEvent } from '#cli/site/first-event'
import { readSite, type Site } from '#cli/site/site-files'
import { type SiteKind, siteKindOf } from '#cli/site/site-kinds'
import { planSite, planText, refuseOther, type SitePlan, snippetsOf } from '#cli/site/site-plan'
import { parsedSnippet, type Snippet } from '#cli/site/snippet'
import { writeChanges } from '#cli/site/write-changes'
import { cleanText } from '#core/text/clean-text'
import { CREATE, createdBlocks } from './project-changes.ts'

type Project = Answer<'POST /projects'>
type Status = 'written' | 'not_written' | 'already_there' | 'no_place'

/** A person opens the site meanwhile; a tool of an agent ends after a minute or two. */
const WAIT_S = { terminal: 600, pipe: 60 }

const FLAGS: readonly Flag[] = [
  ...CREATE,
  { flags: '--folder <path>', help: 'the folder of the site (default: this one)' },
  { flags: '--yes', as: 'switch', help: 'writes without asking, as an agent needs it' },
  {
    flags: '--wait <seconds>',
    as: 'whole',
    help: 'how long to wait for the first event; 0: not at all (default: 600 on a terminal, else 60)',
  },
  { flags: '--dry-run', as: 'switch', help: 'shows what would be sent and written, and does neither' },
]

export const init: RunCommand = {
  name: 'init',
  group: 'Projects',
  effect: 'changes',
  args: [{ name: 'NAME', help: 'name of the project, which is created if it is not there' }],
  flags: FLAGS,
  summary:
    'Creates a project, writes its snippet into the site of this folder, and waits for the first event',
  example: 'init shop --domain https://shop.example.com --dry-run',
  async run(input: Input, session: Session) {
    const site = readSite(String(input.options.folder ?? '.'))
    const kind = siteKindOf(site)
    const name = input.args.NAME as string
    const found = snippetsOf(site)
    refuseOther(found, name)
    const call = createCall(input)
    if (input.options.dryRun === true) {
      const plan = planSite(site, kind, exampleSnippet(session, name), found)
      return printCall(call, session, [diffBlock(plan)], { site: siteData(kind, plan, 'not_written') })
    }
    const { answer: project } = await session.client(call)
    const snippet = parsedSnippet(project.snippet)
    refuseOther(found, name, snippet.token)
    const plan = planSite(site, kind, snippet, found)
    show(session, [...createdBlocks(project), ...planBlocks(kind, plan)])
    const status = await write(input, session, site, plan)
    show(session, [statusBlock(kind, plan, status)])
    const isThere = status === 'written' || status === 'already_there'
    const arrived = isThere ? await wait(input, session, project) : null
    if (session.globals.json)
      session.print(
        [],
        JSON.stringify({ ...project, site: siteData(kind, plan, status), first_event: arrived ?? null }),
      )
    if (isThere) report(input, session, project, arrived)
  },
}

function createCall(input: Input): Call<'POST /projects'> {
  return { endpoint: 'POST /projects', body: { name: input.args.NAME, ...parametersOf(CREATE, input) } }
}

/** A dry run does not know the token. */
function exampleSnippet({ baseUrl }: Session, project: string): Snippet {
  return { src: `${baseUrl()}/tracker.js`, project, token: 'aat_…' }
}

/** With --json everything is in one object at the end. */
function show({ globals, print }: Session, blocks: readonly Block[]): void {
  if (!globals.json) print(blocks, '')
}

function planBlocks(kind: SiteKind | null, plan: SitePlan): Block[] {
  const line: Block = {
    kind: 'line',
    text: kind === null ? 'The site is of no known kind.' : `The site: ${kind.name}.`,
  }
  return plan.changes.length === 0 ? [line] : [line, diffBlock(plan)]
}

function diffBlock(plan: SitePlan): Block {
  return { kind: 'diff', text: planText(plan) }
}

async function write(
  input: Input,
  session: Session,
  site: Site,
  { changes, existing }: SitePlan,
): Promise<Status> {
  if (changes.length === 0) return existing.length > 0 ? 'already_there' : 'no_place'
  const files = changes.length === 1 ? `${changes[0]?.path}` : `${changes.length} files`
  const canAsk = session.output.canAsk && !session.globals.json
  const isWanted = input.options.yes === true || (canAsk && (await askYes(session.io, `Write ${files}?`)))
  if (!isWanted) return 'not_written'
  writeChanges(session.io, site.folder, changes)
  return 'written'
}

function statusBlock(kind: SiteKind | null, { changes, existing, left }: SitePlan, status: Status): Block {
  const rest = left === 0 ? '' : ` Run it again for ${left} more pages.`
  const texts: Record<Status, string> = {
    written: `Wrote ${changes.length === 1 ? changes[0]?.path : `${changes.length} files`}.${rest}`,
    not_written: 'Nothing was written. --yes writes without asking.',
    already_there: `The snippet is in ${existing[0]}${existing.length > 1 ? ` and ${existing.length - 1} more files` : ''} already, so nothing was written.`,
    no_place: `Nothing was written. Put the snippet into ${kind?.where ?? 'the head of each page'}.`,
  }
  return { kind: 'line', text: texts[status] }
}

/** Undefined: the caller does not want to wait. */
function wait(
  { options }: Input,
  session: Session,
  project: Project,
): Promise<FirstEvent | 'unknown' | null> | undefined {
  const seconds = options.wait ?? (session.output.canAsk ? WAIT_S.terminal : WAIT_S.pipe)
  if (seconds !== 0 && !session.output.isTerminal)
    session.say(`Open a page of the site. Waiting ${seconds} s for its first event, which --wait changes.`)
  return seconds === 0 ? undefined : waitForEvent(session, project, Number(seconds) * 1_000)
}

/** An event that did not come is an error only for who has asked for a time. */
function report(
  { options }: Input,
  session: Session,
  { name, allowed_origins }: Project,
  arrived: FirstEvent | 'unknown' | null | undefined,
): void {
  if (arrived === undefined) return
  if (arrived !== null) {
    const what = arrived === 'unknown' ? 'The first event' : `The event ${arrived.event}${pageOf(arrived)}`
    show(session, [{ kind: 'line', text: `${what} arrived. See it: footfall events ${name}` }])
    return
  }
  const problem = {
    error: 'TIMEOUT',
    message: 'No event arrived yet.',
    suggested_action: `Open the site, then ask: footfall events ${name}. Pages of other origins than ${cleanText(allowed_origins, 200)} are refused, such as a development server: footfall update ${name} --origins allows them.`,
    retryable: true,
  }
  if (options.wait !== undefined) throw new CommandError(problem)
  session.say(`${problem.message} ${problem.suggested_action}`)
}

function pageOf({ path }: FirstEvent): string {
  return typeof path === 'string' ? ` on ${path}` : ''
}

function siteData(kind: SiteKind | null, plan: SitePlan, status: Status) {
  return {
    kind: kind?.name ?? null,
    status: plan.changes.length === 0 && plan.existing.length === 0 ? 'no_place' : status,
    files: plan.changes.map(({ path, before }) => ({ path, is_new: before === null })),
    existing: plan.existing,
    diff: planText(plan),
    where: kind?.where ?? 'the head of each page',
  }
}
