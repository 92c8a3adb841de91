import { cleanText } from '#core/text/clean-text'
import { type ErrorCode, errorCodes } from '#schemas/errors'

/** Every error of the command line, in the form that `--json` prints. */
export type Problem = {
  error: string
  message: string
  /** What to do next: a command where one helps. */
  suggested_action: string
  /** Whether the same command may succeed later. */
  retryable: boolean
  /** How long to wait before the next try, as the service asks. */
  retry_after_seconds?: number
}

export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly problem: Problem

  constructor(problem: Omit<Problem, 'retryable'> & { retryable?: boolean }) {
    super(problem.message)
    this.problem = { retryable: false, ...problem }
  }
}

/** The error of a command that cannot be run as it was written. */
export function usage(message: string, suggested_action: string, error = 'USAGE'): CommandError {
  return new CommandError({ error, message, suggested_action })
}

/** Codes that a command helps against; the others have the hint of the service. */
export const actions: Partial<Record<ErrorCode, string>> = {
  AUTH_REQUIRED: 'Sign in: footfall login',
  PRO_REQUIRED: 'Ask a human to upgrade: footfall upgrade-link --detached',
  PROJECT_REQUIRED: 'Name a project: footfall list',
  NOT_FOUND: 'See the projects: footfall list',
  EXPERIMENT_NOT_FOUND: 'See the experiments: footfall experiments list NAME',
  INVALID_REFRESH_TOKEN: 'Sign in again: footfall login',
  AUTH_REQUEST_EXPIRED: 'Begin again: footfall login --wait',
  AUTH_REQUEST_REVOKED: 'The human denied it. Ask them, then begin again: footfall login --wait',
  SLUG_EXISTS:
    'See it: footfall portfolios get SLUG. Change its projects: footfall portfolios update SLUG --projects shop,blog',
  INVALID_FUNNEL_STEPS: 'Use --steps with 2 to 8 events: --steps page_view,signup',
  PROJECT_IN_PORTFOLIO: 'Add --move to take the project out of its portfolio.',
  INVALID_SINCE: 'Use --since 7d, or a date such as --since 2026-11-01.',
  INVALID_METRIC: 'Use --metrics with the names that the message lists.',
  INVALID_GROUP_BY: 'Use --group-by with the fields that the message lists.',
  INVALID_COUNT_MODE: 'Use --count-mode session_then_user or --count-mode raw.',
  INVALID_PROPERTY_KEY: 'See the property keys: footfall properties NAME',
  INVALID_FILTER_FIELD: 'See the property keys: footfall properties NAME',
}

/** The texts of a limit that an upgrade lifts (docs/api/errors.md); other limits end by themselves. */
const PLAN_LIMIT = /free plan|agent\/API read|upgrade/i
const MAX_MESSAGE_CHARS = 1_000

/**
 * The problem that a response of the service tells. Texts are cleaned, because a foreign server may have
 * written them. `retryAfter`: the header Retry-After, which the caller cannot see.
 */
export function problemOf(status: number, body: unknown, retryAfter: string | null): Problem {
  const { error, code, message, retry_after_seconds } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as Record<string, unknown>
  const name = cleanText(String(code ?? error ?? `HTTP_${status}`), 64)
  const known = Object.hasOwn(errorCodes, name) ? (name as ErrorCode) : null
  const text =
    typeof message === 'string' && message !== '' ? message : `The service answered with status ${status}.`
  const isPlanLimit = name === 'RATE_LIMITED' && PLAN_LIMIT.test(text)
  const retryable = (status === 429 && !isPlanLimit) || status >= 500
  const seconds = retryable ? secondsOf(retryAfter ?? retry_after_seconds) : null
  return {
    error: name,
    message: cleanText(withSeconds(text, seconds), MAX_MESSAGE_CHARS),
    suggested_action:
      seconds === null
        ? withSeconds(suggestion(known, isPlanLimit, retryable), null)
        : `Try again in ${seconds} s.`,
    retryable,
    ...(seconds !== null && { retry_after_seconds: seconds }),
  }
}

/**
 * The value of Retry-After in seconds. Null: there is none, or it is a date, which our service never sends.
 */
function secondsOf(value: unknown): number | null {
  return /^\d{1,6}$/.test(String(value)) ? Number(value) : null
}

/** Texts of the service name the header Retry-After. The command line shows its number in its place. */
function withSeconds(text: string, seconds: number | null): string {
  return text.replaceAll('after Retry-After seconds', seconds === null ? 'later' : `in ${seconds} s`)
}

function suggestion(code: ErrorCode | null, isPlanLimit: boolean, retryable: boolean): string {
  if (isPlanLimit) return actions.PRO_REQUIRED as string
  if (code !== null) return actions[code] ?? errorCodes[code].hint
  // While the service is down, a proxy in front of it answers with a page of its own.
  return retryable
    ? 'Try again later. If that does not help, check the address with --base-url.'
    : 'Check the address with --base-url: it may be another service, or another version of it.'
}
