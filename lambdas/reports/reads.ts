import { ApiError } from '#core/errors'
import { createPacks, type PacksServices } from '#core/reports/run/packs'
import { quoted } from '#core/text/clean-text'
import type { JsonObject } from '#core/text/json-object'
import { nearestName } from '#core/text/nearest-name'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Endpoint } from '#lambdas/chain/chain'
import { WrittenBody } from '#lambdas/chain/row-handler'
import { rowRequest } from '#lambdas/http/row-request'
import { MAX_ANSWERS_BYTES } from '#schemas/reads'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import type { ReportName } from './reports.ts'

/** A read that has one of these has a range of its own. */
const RANGE: readonly string[] = ['since', 'until', 'days', 'date_from', 'date_to', 'period']
const CONDITION: readonly string[] = ['where', 'filter']

/** A row that the call may name, with its endpoint. */
type KnownRead = { route: Route; endpoint: Endpoint }

/**
 * POST /reads: up to twelve reads of one project, each as if it was sent alone: the same scope, plan, limits
 * and count of reads. They run at the same time, so they see the same events and share equal statements, and
 * on AWS all statements. One that is refused stops no other.
 */
export function readsEndpoint(
  services: PacksServices,
  chain: ReturnType<typeof accountChain>,
  endpoints: Readonly<Record<ReportName, Endpoint>>,
): Endpoint {
  const known = new Map<string, KnownRead>()
  for (const name of Object.keys(endpoints) as ReportName[]) {
    const { method, path } = routes[name]
    known.set(`${method} ${path}`, { route: routes[name], endpoint: endpoints[name] })
  }

  return chain(routes.reads)(async ({ request, json, caller, body: { reads } }) => {
    // All names first, so that a call with a wrong one runs and counts nothing.
    const found = reads.map(({ read, ...own }) => ({ read, own, ...findRead(known, read) }))
    const packs = createPacks(services)
    // Guests wait for places and for each other's answers, and nobody's statements should wait for that.
    const isGuest = caller.credential.kind === 'demo'
    // All of them begin first, so that each one's statements wait for those of the others.
    const asked = found.map(each => ({ ...each, asker: isGuest ? undefined : packs.begin() }))
    const answers = await Promise.all(
      asked.map(async ({ read, own, route, endpoint, asker }) => {
        const fields = { ...sharedFields(json, own), ...own, project: json.project }
        const given = route.method === 'GET' ? { query: fields } : { body: fields }
        const row = { ...given, ...(asker !== undefined && { asker }) }
        const answer = endpoint(rowRequest(route, request, row)).finally(() => asker?.end())
        const { status, headers, body } = await answer
        // The rows of reports have JSON.
        return { read, status, retryAfter: headers['Retry-After'], json: String(body) }
      }),
    )
    const lines = fitTogether(answers).map(writeLine)
    return { status: 200, body: new WrittenBody(`{"reads":[${lines.join(',')}]}`) }
  })
}

type Answer = { read: string; status: number; retryAfter?: string | undefined; json: string }

/**
 * The answers with an error in the place of each that does not fit beside those before it (U128). A result of
 * Lambda is a JSON text that holds the response as a text, so quotes are two bytes there.
 */
function fitTogether(answers: readonly Answer[]): Answer[] {
  let bytes = 0
  return answers.map(answer => {
    const size = Buffer.byteLength(JSON.stringify(answer.json))
    if (bytes + size > MAX_ANSWERS_BYTES) return tooLarge(answer.read)
    bytes += size
    return answer
  })
}

function tooLarge(read: string): Answer {
  const { code, status, message } = new ApiError(
    'MISSING_FIELDS',
    'The answers of this call are larger than 5 MB together, so this one is left out. Send this read alone, or with a smaller `limit`.',
  )
  return { read, status, json: JSON.stringify({ error: code, message }) }
}

function writeLine({ read, status, retryAfter, json }: Answer): string {
  const head = { read, status, ...(retryAfter !== undefined && { retry_after: Number(retryAfter) }) }
  return `${JSON.stringify(head).slice(0, -1)},"body":${json}}`
}

function findRead(known: ReadonlyMap<string, KnownRead>, read: string): KnownRead {
  const found = known.get(read)
  if (found !== undefined) return found
  const names = [...known.keys()]
  const near = nearestName(read, names)
  const advice = near === null ? `Use one of ${names.join(', ')}.` : `Did you mean \`${near}\`?`
  throw new ApiError('MISSING_FIELDS', `Field \`read\` names no read: ${quoted(read)}. ${advice}`)
}

/**
 * The fields of the call that a read takes, such as range, zone and condition. A range or a condition of the
 * read itself counts instead of that of the call.
 */
function sharedFields({ reads: _, ...fields }: JsonObject, own: JsonObject): JsonObject {
  const isOwn = (names: readonly string[]) => names.some(name => own[name] !== undefined)
  const left = [RANGE, CONDITION].filter(isOwn).flat()
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !left.includes(name)))
}
