import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CommandError } from '#cli/errors'
import type { Answer } from '#cli/http/endpoint'
import { pollUntil } from '#cli/poll'
import type { Session } from '#cli/run-context'
import { storedAccount } from './credential.ts'
import { openInBrowser } from './open-browser.ts'
import type { StoredSession } from './stored-session.ts'

/** What the command line asks for: all that its commands do. */
const SCOPES = [
  ...['account:read', 'projects:read', 'projects:write', 'analytics:read', 'experiments:read'],
  ...['experiments:write', 'feedback:write', 'live:read', 'replays:read', 'replays:write', 'exports:read'],
]
const CLIENT = { client_type: 'cli', client_name: 'Footfall command line', scopes: SCOPES }

const INTERACTIVE_MS = 5 * 60_000
const POLLING_MS = 30 * 60_000
const POLL_INTERVAL_MS = 2_000

type Started = Answer<'POST /agent-sessions/start'>

/**
 * Signs in by the browser of this machine: a listener on 127.0.0.1 receives the code, and only who has the
 * verifier can use it.
 */
export async function signInHere(session: Session): Promise<StoredSession> {
  const verifier = randomBytes(32).toString('base64url')
  const listener = await listenForCode()
  try {
    const { answer } = await session.openClient({
      endpoint: 'POST /agent-sessions/start',
      body: {
        ...CLIENT,
        mode: 'interactive',
        callback_url: listener.url,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      },
    })
    session.say(
      `Approve this in your browser. The page must show the code ${answer.approval_code}.\n${pageOf(answer)}`,
    )
    openInBrowser(pageOf(answer), session.io)
    const atMostMs = milliseconds(session, 'AA_AUTH_TIMEOUT_MS', INTERACTIVE_MS)
    const code = await session.during(
      'Waiting until you approve in the browser',
      () => within(atMostMs, listener.codeOf(answer.auth_request_id)),
      atMostMs,
    )
    return await exchange(session, answer.auth_request_id, code, verifier)
  } finally {
    listener.close()
  }
}

/** Starts a sign-in that a human approves on another machine. */
export async function startDetached(session: Session): Promise<Started> {
  const body = { ...CLIENT, mode: 'detached' }
  return (await session.openClient({ endpoint: 'POST /agent-sessions/start', body })).answer
}

/** Asks every two seconds whether the human has decided. */
export async function waitForApproval(
  session: Session,
  auth_request_id: string,
  poll_token: string,
): Promise<StoredSession> {
  const atMostMs = milliseconds(session, 'AA_AUTH_TIMEOUT_MS', POLLING_MS)
  const code = await session.during(
    'Waiting until the human approves',
    () => polledCode(session, { auth_request_id, poll_token }, session.io.clock.now() + atMostMs),
    atMostMs,
  )
  return exchange(session, auth_request_id, code)
}

async function polledCode(
  session: Session,
  body: { auth_request_id: string; poll_token: string },
  deadline: number,
): Promise<string> {
  const pause = milliseconds(session, 'AA_AUTH_POLL_INTERVAL_MS', POLL_INTERVAL_MS)
  const code = await pollUntil(session, ask, pause, deadline)
  if (code === null) throw timedOut()
  return code

  async function ask(): Promise<string | null> {
    const { answer } = await session.openClient({ endpoint: 'POST /agent-sessions/poll', body })
    if (answer.exchange_code === null && answer.status === 'exchanged') throw alreadyExchanged()
    return answer.exchange_code
  }
}

/** Exchanges an approved request for a session. */
export async function exchange(
  session: Session,
  auth_request_id: string,
  exchange_code: string,
  code_verifier?: string,
): Promise<StoredSession> {
  const { answer } = await session.openClient({
    endpoint: 'POST /agent-sessions/exchange',
    body: { auth_request_id, exchange_code, code_verifier },
  })
  return { ...answer.agent_session, account: storedAccount(answer.account) }
}

/** The page that the human opens. */
export function pageOf({ authorize_url }: Pick<Started, 'authorize_url'>): string {
  return webPage(authorize_url, 'approval')
}

/** A page for the human. Only web pages are named and opened, whatever the service says. */
export function webPage(url: string, purpose: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url).href
  throw new CommandError({
    error: 'UNEXPECTED_ANSWER',
    message: `The service did not name a page for the ${purpose}.`,
    suggested_action: 'Check the address with --base-url.',
  })
}

type Listener = { url: string; codeOf(request: string): Promise<string>; close(): void }

/** A page of another site cannot guess the path, and the request must be ours. */
async function listenForCode(): Promise<Listener> {
  const path = `/${randomBytes(16).toString('hex')}`
  const arrivals: ((query: URLSearchParams) => void)[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname !== path) return response.writeHead(404).end()
    response.writeHead(200, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'close',
    })
    response.end(
      url.searchParams.has('error') ? 'Not approved. You can close this page.' : 'You can close this page.',
    )
    for (const arrived of arrivals) arrived(url.searchParams)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    codeOf: request =>
      new Promise((resolve, reject) => {
        arrivals.push(query => {
          if (query.get('request_id') !== request) return
          const code = query.get('exchange_code')
          if (code === null) reject(denied())
          else resolve(code)
        })
      }),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(timedOut()), ms)
  })
  return Promise.race([result, late]).finally(() => clearTimeout(timer))
}

/** A setting in milliseconds. Text that is no number counts as absent. */
export function milliseconds({ io }: Session, name: string, preset: number): number {
  const value = Number(io.env[name] || Number.NaN)
  return Number.isFinite(value) && value >= 0 ? value : preset
}

function denied(): CommandError {
  return new CommandError({
    error: 'ACCESS_DENIED',
    message: 'The human did not approve.',
    suggested_action: 'Ask them, then run footfall login again.',
  })
}

function timedOut(): CommandError {
  return new CommandError({
    error: 'TIMEOUT',
    message: 'Nobody approved in time.',
    suggested_action: 'Run footfall login again, or footfall login --detached for a human elsewhere.',
    retryable: true,
  })
}

function alreadyExchanged(): CommandError {
  return new CommandError({
    error: 'AUTH_REQUEST_ALREADY_EXCHANGED',
    message: 'This sign-in was finished before.',
    suggested_action: 'Run footfall whoami, or footfall login to begin again.',
  })
}
