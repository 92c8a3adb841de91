import { expect, test } from 'vitest'
import { ApiError } from '#core/errors'
import type { BotRecord } from '#core/ingest/record'
import { drop, type IngestResult, ok, redirectToBots, refuse } from '#core/ingest/results'
import type { TrackRequest } from '#core/ingest/track-request'
import { createChain } from '#lambdas/chain/chain'
import { ingestStep } from '#lambdas/track/ingest-step'
import { routes } from '#schemas/routes'
import { exchangeOf } from '#test/lambdas/chain/exchange'

const trackRequest: TrackRequest = { token: 'aat_shop', items: [{}, {}], labelOf: () => '' }
const record: BotRecord = {
  kind: 'bots',
  project_id: 'proj_1',
  account_id: 'acc_1',
  received_at: 1,
  category: 'ai_agent',
  actor: 'GPTBot',
  dropped: 2,
}

/** Sends a request through a chain of one ingestion step, whose handler responds with 200. */
async function respondTo(
  result: IngestResult<{ name: string }>,
  count: (record: BotRecord) => Promise<void> = async () => {},
) {
  const respond = ({ items }: TrackRequest) => ({ status: 202, headers: {}, body: `${items.length} queued` })
  const endpoint = createChain(() => {})
    .step(() => ({ trackRequest }))
    .step(ingestStep(() => result, { botCounts: { count }, refusals: { count: async () => {} }, respond }))
    .endpoint(routes.track, ({ name }) => ({ status: 200, headers: {}, body: name }))
  const { status, body } = await endpoint(exchangeOf().request)
  return { status, body }
}

test('`ok` passes its value on to the next step', async () => {
  expect(await respondTo(ok({ name: 'next' }))).toEqual({ status: 200, body: 'next' })
})

test('`refuse` ends the request with its error', async () => {
  const { status, body } = await respondTo(refuse(new ApiError('INVALID_TOKEN'), 'token'))
  expect([status, JSON.parse(String(body)).error]).toEqual([401, 'INVALID_TOKEN'])
})

test('`drop` ends the request with the response of a stored one, and stores nothing', async () => {
  const count = () => expect.unreachable()
  expect(await respondTo(drop('a mapping to itself'), count)).toEqual({ status: 202, body: '2 queued' })
})

test('`redirect-to-bots` counts the bot, then responds like a stored request', async () => {
  const counted: BotRecord[] = []
  const response = await respondTo(redirectToBots(record), async bot => void counted.push(bot))
  expect(response).toEqual({ status: 202, body: '2 queued' })
  expect(counted).toEqual([record])
})
