import { ApiError } from '#core/errors'
import type { JsonObject } from '#core/text/json-object'
import type { TrackVerdict } from '#schemas/refusals'
import { checkCredential } from './check-credential.ts'
import { checkEvents } from './check-events.ts'
import { checkOrigin } from './check-origin.ts'
import { detectBot } from './detect-bot.ts'
import { enforceEventCaps, enforceTokenLimit } from './enforce-caps.ts'
import { findProject } from './find-project.ts'
import type { IngestResult, Refuse } from './results.ts'
import type { Sender } from './sender.ts'
import { parseEvent } from './track-request.ts'

type Services = Parameters<typeof findProject>[0] &
  Parameters<typeof detectBot>[0] &
  Parameters<typeof enforceTokenLimit>[0] &
  Parameters<typeof enforceEventCaps>[0]

const STORED = { would: 'store', reason: null, error: null, message: null, bot: null } as const

/**
 * Says what POST /track would do with an event (U114), by the same steps in the same order. It stores and
 * counts nothing but the request toward the limit of the token. Fields `origin` and `user_agent` stand for
 * the headers of another sender, such as a page.
 */
export function judgeEvent(services: Services) {
  return async function judge(json: JsonObject, sender: Sender): Promise<TrackVerdict> {
    const asked = { ...sender, ...standIns(json) }
    try {
      const trackRequest = parseEvent(json)
      const found = await findProject(services)({ trackRequest })
      if (found.result === 'refuse') return { ...refused(found), project: null }
      const { project } = found.value
      const call = { project, trackRequest, sender: asked }
      const shown = { id: project.id, name: project.name }
      const early = endOf(checkOrigin(call)) ?? endOf(enforceTokenLimit(services)(call))
      if (early !== null) return { ...early, project: shown }
      const credential = await checkCredential(call)
      if (credential.result !== 'ok') return { ...refused(credential), project: shown }
      const bot = endOf(detectBot(services)({ ...call, ...credential.value }))
      if (bot !== null) return { ...bot, project: shown }
      const events =
        endOf(checkEvents(services)(call)) ?? endOf(enforceEventCaps(services)({ project, events: [] }))
      return { ...(events ?? STORED), project: shown }
    } catch (error) {
      // parseEvent: there is no token.
      if (!(error instanceof ApiError) || error.code !== 'INVALID_TOKEN') throw error
      return { ...refused({ result: 'refuse', error, reason: 'token', last: null }), project: null }
    }
  }
}

type Verdict = Omit<TrackVerdict, 'project'>

/** What a step makes of the event; null: it passes. */
function endOf(outcome: IngestResult<unknown>): Verdict | null {
  if (outcome.result === 'refuse') return refused(outcome)
  if (outcome.result !== 'redirect-to-bots') return null
  const { category, actor } = outcome.record
  const message = `POST /track would answer 202 and store nothing, because the client is a bot (${actor}). A server that is yours sends an API key of the account in the header X-API-Key.`
  return { would: 'count_as_bot', reason: 'bot', error: null, message, bot: { category, actor } }
}

function refused({ error, reason }: Refuse): Verdict {
  return { would: 'refuse', reason, error: error.code, message: error.message, bot: null }
}

function standIns({ origin, user_agent }: JsonObject): Partial<Sender> {
  return {
    ...(typeof origin === 'string' && { origin }),
    // The brands are those of the sender, not of the client that it asks about.
    ...(typeof user_agent === 'string' && { userAgent: user_agent, brands: undefined }),
  }
}
