import { askText, askYes } from '#cli/ask'
import { type Flag, type Input, parametersOf, type RunCommand } from '#cli/command'
import { CommandError, usage } from '#cli/errors'
import { isThisMachine } from '#cli/http/base-url'
import type { Answer, Call } from '#cli/http/endpoint'
import type { Block } from '#cli/print/blocks'
import { printCall } from '#cli/print/dry-run'
import type { Session } from '#cli/run-context'
import { type FirstEvent, waitForEvent } from '#cli/site/first-event'
import { readSite, type Site } from '#cli/site/site-files'
import { type SiteKind, siteKindOf } from '#cli/site/site-kinds'
import { planSite, planText, refuseOther, type SitePlan, snippetsOf } from '#cli/site/site-plan'
import { parsedSnippet, type Snippet, scriptTag } from '#cli/site/snippet'
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
  {
    flags: '--public-url <address>',
    help: 'where browsers reach the service, if it says an address of this machine alone: https://stats.example.com',
  },
  {
    flags: '--core',
    as: 'switch',
    help: 'writes /tracker.core.js, less than half of the bytes, for a site that only counts views and a few events',
  },
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
      const plan = planSite(site, kind, exampleSnippet(input, session, name), found)
      return printCall(call, session, [diffBlock(plan)], { site: siteData(kind, plan, 'not_written') })
    }
    const { answer: project } = await session.client(call)
    const snippet = await reachableSnippet(input, session, project)
    refuseOther(found, name, snippet.token)
    const plan = planSite(site, kind, snippet, found)
    show(session, [...createdBlocks({ ...project, snippet: scriptTag(snippet) }), ...planBlocks(kind, plan)])
    const status = await write(input, session, site, plan)
    show(session, [statusBlock(kind, plan, status)])
    const isThere = status === 'written' || status === 'already_there'
    // A project that has events already is installed; who wants another event says how long to wait.
    const isKnown = status === 'already_there' && project.total_events > 0 && input.options.wait === undefined
    const arrived = isKnown ? undefined : isThere ? await wait(input, session, project) : null
    if (isKnown) show(session, [knownBlock(project)])
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
function exampleSnippet({ options }: Input, { baseUrl }: Session, project: string): Snippet {
  const isLocal = isLocalSite(String(options.domain))
  const address = publicUrl(options.publicUrl) ?? baseUrl()
  return { src: `${address}${scriptPath(options)}`, project, token: 'aat_…', ...(isLocal && { isLocal }) }
}

/**
 * The snippet with an address that the visitors of the site can reach. A service without BASE_URL says
 * `localhost`, which is another machine for each visitor: then a person is asked, and others are told.
 */
async function reachableSnippet({ options }: Input, session: Session, project: Project): Promise<Snippet> {
  const snippet = parsedSnippet(project.snippet)
  if (isLocalSite(project.allowed_origins)) snippet.isLocal = true
  let named = publicUrl(options.publicUrl)
  if (named === undefined && !snippet.isLocal && isThisMachine(snippet.src)) {
    const canAsk = session.output.canAsk && !session.globals.json && options.yes !== true
    const question = `The service says ${new URL(snippet.src).origin}, which only this machine reaches. Where do browsers reach it (https://…; empty: leave it)?`
    if (canAsk) named = publicUrl((await askText(session.io, question)) || undefined)
    if (named === undefined) {
      session.say(
        `The snippet names ${new URL(snippet.src).origin}, which only this machine reaches. Start the service with BASE_URL, or add --public-url https://stats.example.com.`,
      )
    }
  }
  const address = named ?? snippet.src.slice(0, -FULL.length)
  return { ...snippet, src: `${address}${scriptPath(options)}` }
}

/** The script of the snippet of the service. */
const FULL = '/tracker.js'

/** Which of the two scripts the site loads (docs/tracker.md, Two scripts). */
function scriptPath({ core }: Input['options']): string {
  return core === true ? '/tracker.core.js' : FULL
}

/** An address without a slash at its end. Throws CommandError for anything else. */
function publicUrl(value: unknown): string | undefined {
  if (value === undefined) return undefined
  const text = String(value)
  const url = URL.canParse(text) ? new URL(text) : null
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  throw usage(
    'The public address must look like https://stats.example.com, without a path: the tracker sends to its host.',
    'Correct it: --public-url https://stats.example.com',
  )
}

/** Whether pages of the site also run on the machine of a developer. */
function isLocalSite(origins: string): boolean {
  return origins.split(',').some(origin => {
    const url = origin.includes('://') ? origin.trim() : `https://${origin.trim()}`
    return URL.canParse(url) && /^(.+\.)?localhost$|^127\.|^\[::1\]$/.test(new URL(url).hostname)
  })
}

function knownBlock({ name, total_events }: Project): Block {
  const events = total_events === 1 ? '1 event' : `${total_events} events`
  return { kind: 'line', text: `The project has ${events} already. See them: footfall events ${name}` }
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
