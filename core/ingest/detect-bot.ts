import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { BOT_RULES_VERSION, type Bot, type BotClassifier } from './bots.ts'
import { isOfProject } from './check-credential.ts'
import { type Drop, drop, type Ok, ok, type RedirectToBots, redirectToBots } from './results.ts'
import type { Sender } from './sender.ts'
import type { TrackRequest } from './track-request.ts'

type BotCheck = {
  project: Project
  sender: Pick<Sender, 'userAgent' | 'findCaller'>
  trackRequest: TrackRequest
}

/**
 * Redirects requests of bots to the bot count. Servers whose User-Agent looks like a bot's may track for
 * projects of their own account: with a credential of the account that has the scope `projects:write`
 * (docs/api/ingestion.md).
 */
export function detectBot({ bots, clock }: { bots: BotClassifier; clock: Now }) {
  return (call: BotCheck): Ok<void> | Promise<Ok<void> | RedirectToBots> => {
    const bot = bots(call.sender.userAgent)
    return bot === null ? ok(undefined) : checkCaller(bot, call)
  }

  async function checkCaller(
    bot: Bot,
    { project, sender, trackRequest }: BotCheck,
  ): Promise<Ok<void> | RedirectToBots> {
    if (isOfProject(await sender.findCaller(), project)) return ok(undefined)
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
  return async ({ project, sender }: Pick<BotCheck, 'project' | 'sender'>): Promise<Ok<void> | Drop> => {
    if (bots(sender.userAgent) === null || isOfProject(await sender.findCaller(), project))
      return ok(undefined)
    return drop('bot')
  }
}
