import type { BotCounts } from '#core/ingest/bot-counts'
import type { BotRecord } from '#core/ingest/record'
import type { IngestResult } from '#core/ingest/results'
import type { TrackRequest } from '#core/ingest/track-request'
import { type Addition, EarlyResponse, type Exchange, type Step } from '#lambdas/chain/chain'
import type { HttpResponse } from '#lambdas/http/http'

/** How a request ends before its events are stored. */
export type EarlyEnd = {
  botCounts: Pick<BotCounts, 'count'>
  respond(request: TrackRequest): HttpResponse
}

/** Makes a step of the chain from a step of core/ingest, by the four results that it may have. */
export function ingestStep<Needs, Added extends Addition>(
  step: (call: Needs) => IngestResult<Added> | Promise<IngestResult<Added>>,
  { botCounts, respond }: EarlyEnd,
): Step<Exchange & { trackRequest: TrackRequest } & Needs, Added> {
  async function redirect(record: BotRecord, trackRequest: TrackRequest): Promise<EarlyResponse> {
    await botCounts.count(record)
    return new EarlyResponse(respond(trackRequest))
  }

  function conclude(outcome: IngestResult<Added>, trackRequest: TrackRequest) {
    switch (outcome.result) {
      case 'ok':
        return outcome.value
      case 'refuse':
        throw outcome.error
      case 'drop':
        return new EarlyResponse(respond(trackRequest))
      case 'redirect-to-bots':
        return redirect(outcome.record, trackRequest)
    }
  }

  return call => {
    const outcome = step(call)
    return outcome instanceof Promise
      ? outcome.then(settled => conclude(settled, call.trackRequest))
      : conclude(outcome, call.trackRequest)
  }
}
