import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { BOT_RULES_VERSION, type BotClassifier } from './bots.ts'
import { type Drop, drop, type Ok, ok, type RedirectToBots, redirectToBots } from './results.ts'
import type { Sender } from './sender.ts'
import type { TrackRequest } from './track-request.ts'

type BotCheck = {
  project: Project
  sender: Pick<Sender, 'userAgent' | 'brands'>
  /** Whether the project's own credential came with the request. */
  isCredentialed: boolean
  trackRequest: TrackRequest
}

/**
 * Redirects requests of bots to the bot count. Servers whose User-Agent looks like a bot's may track for
 * projects of their own account: with a credential of the account that has the scope `projects:write`
 * (docs/api/ingestion.md).
 */
export function detectBot({ bots, clock }: { bots: BotClassifier; clock: Now }) {
  return ({ project, sender, isCredentialed, trackRequest }: BotCheck): Ok<void> | RedirectToBots => {
    const bot = botOf(sender, bots)
    if (bot === null || isCredentialed) return ok(undefined)
    return redirectToBots({
      kind: 'bots',
      project_id: project.id,
      account_id: project.account_id,
      received_at: clock.now(),
      category: bot.category,
      actor: bot.actor,
      ...(bot.purpose !== undefined && { purpose: bot.purpose }),
      dropped: trackRequest.items.length,
      rules_version: BOT_RULES_VERSION,
    })
  }
}

/**
 * Ignores identify requests of bots: the sender gets the usual response, and nothing is stored or counted
 * (U50).
 */
export function ignoreBot({ bots }: { bots: BotClassifier }) {
  return ({ sender, isCredentialed }: Pick<BotCheck, 'sender' | 'isCredentialed'>): Ok<void> | Drop =>
    botOf(sender, bots) === null || isCredentialed ? ok(undefined) : drop('bot')
}

/**
 * A browser that is driven by a program names itself so in Sec-CH-UA, also under the User-Agent of another.
 */
const HEADLESS = 'HeadlessChrome'

function botOf({ userAgent, brands }: BotCheck['sender'], bots: BotClassifier) {
  return bots(userAgent) ?? (brands?.includes(HEADLESS) === true ? bots(HEADLESS) : null)
}
