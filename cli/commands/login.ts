import { type Flag, type Input, optionKey, type RunCommand } from '#cli/command'
import { CommandError, usage } from '#cli/errors'
import type { Session } from '#cli/run-context'
import { keychainOf } from '#cli/session/keychain'
import { exchange, pageOf, signInHere, startDetached, waitForApproval } from '#cli/session/sign-in'
import type { PendingLogin } from '#cli/session/store'
import type { StoredSession } from '#cli/session/stored-session'
import { requireChoice } from '#cli/session/token-store'
import { stdinText } from '#cli/stdin-text'

const FLAGS: readonly Flag[] = [
  {
    flags: '--detached',
    as: 'switch',
    help: 'prints the page for a human elsewhere, and ends unless --wait is there; login --wait goes on',
  },
  { flags: '--wait', as: 'switch', help: 'waits until a human elsewhere has approved, 30 minutes at most' },
  { flags: '--poll', as: 'switch', help: 'the same as --wait' },
  { flags: '--auth-request <id>', help: 'with --exchange-code: finishes a sign-in' },
  { flags: '--exchange-code <code>', help: 'the finish code that the human got; - reads it from stdin' },
]

/** What of the options may stand together. */
const SHAPES = ['', 'detached', 'wait', 'poll', 'detached wait', 'detached poll', 'authRequest exchangeCode']

export const login: RunCommand = {
  name: 'login',
  group: 'Account',
  effect: 'changes',
  args: [],
  flags: FLAGS,
  summary: 'Signs in: a human approves once, in a browser here or elsewhere',
  example: 'login --detached',
  async run({ options }: Input, session: Session) {
    const shape = FLAGS.map(optionKey).filter(key => options[key] !== undefined)
    if (!SHAPES.includes(shape.join(' '))) throw wrongShape()
    requireChoice(keychainOf(session.io, ''), session.io.env)
    // This fails if nothing can be stored. Else a human would approve a session that is then lost.
    await session.store().update(config => config)
    const waits = options.wait === true || options.poll === true
    if (waits) return finish(session, await resumed(session, options.detached === true))
    if (options.detached === true) return printDetached(session)
    if (options.authRequest === undefined) return finish(session, await signInHere(session))
    return finish(
      session,
      await exchanged(session, String(options.authRequest), String(options.exchangeCode)),
    )
  },
}

async function printDetached(session: Session): Promise<void> {
  const started = await startDetached(session)
  const address = pageOf(started)
  await remember(session, started)
  const { auth_request_id, approval_code, expires_at, scopes } = started
  const next = 'footfall login --wait'
  const finishWith = `footfall login --auth-request ${auth_request_id} --exchange-code -`
  const data = {
    ok: true,
    status: 'pending',
    authorize_url: address,
    approval_code,
    auth_request_id,
    expires_at,
    scopes,
    next,
    finish_with_code: finishWith,
  }
  session.print(
    [
      {
        kind: 'facts',
        facts: [
          ['For the human', address, 'address'],
          ['Code of the page', approval_code],
          ['Then', next],
          ['Or with the code that the human gets', finishWith],
        ],
      },
    ],
    JSON.stringify(data),
  )
}

async function remember(
  session: Session,
  { auth_request_id, poll_token, expires_at, authorize_url, approval_code }: PendingLogin,
): Promise<void> {
  const address = session.baseUrl()
  const kept = { auth_request_id, poll_token, expires_at, authorize_url, approval_code }
  await session.store().update(config => ({ ...config, pending: { ...config.pending, [address]: kept } }))
}

/** Forgets a detached sign-in, unless another one has taken its place. */
async function forget(session: Session, { auth_request_id }: PendingLogin): Promise<void> {
  const address = session.baseUrl()
  await session.store().update(config => {
    const { [address]: pending, ...others } = config.pending ?? {}
    return pending?.auth_request_id === auth_request_id ? { ...config, pending: others } : config
  })
}

/** Errors of a poll that end the sign-in: it will never be approved. */
const FINAL: readonly string[] = [
  'AUTH_REQUEST_REVOKED',
  'AUTH_REQUEST_EXPIRED',
  'AUTH_REQUEST_ALREADY_EXCHANGED',
  'NOT_FOUND',
  'INVALID_POLL_TOKEN',
]

/**
 * Waits for the detached sign-in that was begun, or for a new one: `isNew`, or when there is none to go on
 * with.
 */
async function resumed(session: Session, isNew: boolean): Promise<StoredSession> {
  const known = isNew ? undefined : session.store().read().pending?.[session.baseUrl()]
  const isLive = known !== undefined && known.expires_at > session.io.clock.now()
  const pending: PendingLogin = isLive ? known : await startDetached(session)
  if (!isLive) await remember(session, pending)
  const { auth_request_id, poll_token, authorize_url, approval_code } = pending
  if (authorize_url !== undefined && approval_code !== undefined)
    session.say(
      `A human opens this page. It asks for the code ${approval_code}.\n${pageOf({ authorize_url })}`,
    )
  try {
    return await waitForApproval(session, auth_request_id, poll_token)
  } catch (error) {
    if (error instanceof CommandError && FINAL.includes(error.problem.error)) await forget(session, pending)
    return storedIfWorking(session, error)
  }
}

async function exchanged(session: Session, request: string, code: string): Promise<StoredSession> {
  const text = code === '-' ? (await stdinText(session.io.stdin)).trim() : code
  return exchange(session, request, text).catch(error => storedIfWorking(session, error))
}

/**
 * A sign-in that was finished before is a success when the stored session works: the first answer may have
 * been lost on its way back.
 */
async function storedIfWorking(session: Session, error: unknown): Promise<StoredSession> {
  const stored = session.store().session(session.baseUrl())
  const isFinished = error instanceof CommandError && error.problem.error === 'AUTH_REQUEST_ALREADY_EXCHANGED'
  if (!isFinished || stored === undefined) throw error
  await session.client({ endpoint: 'GET /account' })
  return session.store().session(session.baseUrl()) ?? stored
}

async function finish(session: Session, fresh: StoredSession): Promise<void> {
  const address = session.baseUrl()
  const store = session.store()
  let warning: string | null = null
  const { sessions } = await store.update(({ pending = {}, ...config }) => {
    const { [address]: _, ...others } = pending
    const kept = store.tokens.save(address, fresh)
    warning = kept.warning
    return {
      ...config,
      base_url: address,
      sessions: { ...config.sessions, [address]: kept.saved },
      pending: others,
    }
  })
  const place = store.tokens.nameOf(sessions[address] ?? fresh)
  const { account, scopes, access_expires_at, refresh_expires_at } = fresh
  session.print(
    [
      {
        kind: 'facts',
        facts: [
          ['Signed in', account.email],
          ['Tier', account.tier],
          ['Service', address],
          ['Stored in', store.path],
          ['Tokens in', place],
        ],
      },
    ],
    JSON.stringify({
      ok: true,
      base_url: address,
      account,
      scopes,
      access_expires_at,
      refresh_expires_at,
      stored: { kind: sessions[address]?.tokens_in ?? 'file', path: store.path },
    }),
  )
  if (warning !== null) session.say(warning)
}

function wrongShape(): CommandError {
  return usage(
    'These options cannot be combined.',
    'Use footfall login, login --detached, login --wait, login --detached --wait, or login --auth-request ID --exchange-code CODE.',
  )
}
