import type { BotCounts } from '#core/ingest/bot-counts'
import type { BotRecord } from '#core/ingest/record'
import type { Refusal, RefusalCounts } from '#core/ingest/refusal-counts'
import type { IngestResult, Refuse } from '#core/ingest/results'
import type { TrackRequest } from '#core/ingest/track-request'
import type { Project } from '#core/projects/project'
import { type Addition, EarlyResponse, type Exchange, type Step } from '#lambdas/chain/chain'
import type { HttpResponse } from '#lambdas/http/http'

/** How a request ends before its events are stored. */
export type EarlyEnd = {
  botCounts: Pick<BotCounts, 'count'>
  refusals: Pick<RefusalCounts, 'count'>
  respond(request: TrackRequest): HttpResponse
}

/** What a step of ingestion ends. `project`: absent before the token was looked up. */
type Call = Exchange & { trackRequest: TrackRequest; project?: Project }

/** Makes a step of the chain from a step of core/ingest, by the four results that it may have. */
export function ingestStep<Needs, Added extends Addition>(
  step: (call: Needs) => IngestResult<Added> | Promise<IngestResult<Added>>,
  { botCounts, refusals, respond }: EarlyEnd,
): Step<Call & Needs, Added> {
  async function redirect(record: BotRecord, { trackRequest }: Call): Promise<EarlyResponse> {
    const { project_id, actor, category, dropped } = record
    const refusal: Refusal = { reason: 'bot', events: dropped, last: `${actor} (${category})` }
    await Promise.all([botCounts.count(record), refusals.count(project_id, refusal)])
    return new EarlyResponse(respond(trackRequest))
  }

  /** Nothing counts before the token was looked up: then there is no project that could be told. */
  async function refuse({ error, reason, last }: Refuse, { project, trackRequest }: Call): Promise<never> {
    if (project !== undefined)
      await refusals.count(project.id, { reason, events: trackRequest.items.length, last })
    throw error
  }

  function conclude(outcome: IngestResult<Added>, call: Call) {
    switch (outcome.result) {
      case 'ok':
        return outcome.value
      case 'refuse':
        return refuse(outcome, call)
      case 'drop':
        return new EarlyResponse(respond(call.trackRequest))
      case 'redirect-to-bots':
        return redirect(outcome.record, call)
    }
  }

  return function runIngestStep(call) {
    const outcome = step(call)
    return outcome instanceof Promise
      ? outcome.then(settled => conclude(settled, call))
      : conclude(outcome, call)
  }
}
