import type { Flag, Input, RunCommand } from '#cli/command'
import { CommandError, usage } from '#cli/errors'
import type { Response } from '#cli/http/client'
import type { Answer } from '#cli/http/endpoint'
import { pollUntil } from '#cli/poll'
import type { Block } from '#cli/print/blocks'
import type { Session } from '#cli/run-context'
import { milliseconds, webPage } from '#cli/session/sign-in'

type UsageResponse = Response<'GET /account/usage'>
type Payment = Answer<'GET /account/usage'>['payment']

const WAIT_MS = 15 * 60_000
const POLL_INTERVAL_MS = 5_000

const FLAGS: readonly Flag[] = [
  { flags: '--detached', as: 'switch', help: 'print the link and end' },
  { flags: '--wait', as: 'switch', help: 'wait until the human has upgraded' },
]

export const upgradeLink: RunCommand = {
  name: 'upgrade-link',
  group: 'Account',
  effect: 'local',
  args: [],
  flags: FLAGS,
  summary: 'The page on which a human upgrades this account to Pro',
  example: '--demo upgrade-link --detached',
  async run(input: Input, session: Session) {
    const { detached, wait } = input.options
    if ((detached === true) === (wait === true)) throw oneOption()
    const usage = await readUsage(session)
    requireAnUpgrade(usage.answer.payment)
    if (detached === true || usage.answer.payment.status.can_retry_pro_task) return print(session, usage)
    const { next_action } = usage.answer.payment
    if (next_action !== null)
      session.say(`A human upgrades on this page: ${webPage(next_action.url, 'upgrade')}`)
    print(session, await waitForUpgrade(session))
  },
}

function waitForUpgrade(session: Session): Promise<UsageResponse> {
  const atMostMs = milliseconds(session, 'AA_UPGRADE_TIMEOUT_MS', WAIT_MS)
  const deadline = session.io.clock.now() + atMostMs
  return session.during('Waiting until the human has upgraded', () => upgraded(session, deadline), atMostMs)
}

async function upgraded(session: Session, deadline: number): Promise<UsageResponse> {
  const pause = milliseconds(session, 'AA_UPGRADE_POLL_INTERVAL_MS', POLL_INTERVAL_MS)
  const usage = await pollUntil(session, ask, pause, deadline)
  if (usage === null) throw timedOut()
  return usage

  async function ask(): Promise<UsageResponse | null> {
    const usage = await readUsage(session)
    return usage.answer.payment.status.can_retry_pro_task ? usage : null
  }
}

function readUsage({ client }: Session): Promise<UsageResponse> {
  return client({ endpoint: 'GET /account/usage' })
}

function print(session: Session, { answer, text }: UsageResponse): void {
  session.print(describe(answer.payment), text)
}

function describe({ status, next_action }: Payment): Block[] {
  if (status.can_retry_pro_task)
    return [{ kind: 'line', text: 'This account has Pro. Try the earlier command again.' }]
  if (next_action === null)
    return [{ kind: 'line', text: 'A payment is under way. Wait with upgrade-link --wait.' }]
  const facts = [
    ['For the human', webPage(next_action.url, 'upgrade')],
    ['Why', next_action.reason],
  ] as const
  return [{ kind: 'facts', facts: [...facts] }]
}

/** Throws where nobody can pay. */
function requireAnUpgrade({ state, status }: Payment): void {
  if (state !== 'setup_required' || status.can_retry_pro_task) return
  throw new CommandError({
    error: 'NO_PAYMENTS',
    message: 'This service takes no payments.',
    suggested_action: 'Ask the operator of the service for Pro.',
  })
}

function oneOption(): CommandError {
  return usage(
    'Give one of --detached and --wait.',
    'An agent uses upgrade-link --detached and gives the link to its human.',
  )
}

function timedOut(): CommandError {
  return new CommandError({
    error: 'TIMEOUT',
    message: 'Nobody upgraded in time.',
    suggested_action: 'Run footfall upgrade-link --wait again, or see footfall account-usage.',
    retryable: true,
  })
}
