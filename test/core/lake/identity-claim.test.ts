import { expect, test } from 'vitest'
import type { IdentifyRecord } from '#core/ingest/record'
import { CLAIM_RECORDS } from '#core/lake/consume/consumer'
import { decodeIdentity } from '#core/lake/consume/identity-row'
import { createLakePipeline } from '#test/support/lake-pipeline'

function identifyRecord(i: number): IdentifyRecord {
  return {
    ...{ kind: 'identify', project_id: `proj_${i % 7}`, account_id: 'acct_1' },
    ...{ received_at: 1_000 + i, seq: i, previous_id: `anon_${i}`, user_id: 'victim' },
    ...{ traits: { plan: 'pro' }, email_hash: `hash ${i}` },
  }
}

/** The calls of ports that the claims of so many identify requests make, beside those of one event. */
async function callsOfClaims(
  requests: number,
): Promise<{ claims: number; puts: string[]; stateChanges: number; rows: number }> {
  const { stream, lake, state, consumer, accept } = createLakePipeline()
  const puts: string[] = []
  const put = lake.put
  lake.put = (key, bytes) => {
    puts.push(key)
    return put(key, bytes)
  }
  accept('page_view')
  for (let i = 0; i < requests; i++) stream.accept('s0', identifyRecord(i))
  const before = state.changes()
  let claims = 0
  while ((await consumer.consume('s0')) > 0) claims += 1
  let rows = 0
  for (const key of puts.filter(each => each.startsWith('hot-identity/')))
    rows += (await decodeIdentity(lake.objects.get(key) as Uint8Array)).length
  return { claims, puts, stateChanges: state.changes() - before, rows }
}

test('each claim of 20,000 identify requests to one id writes one file more than a claim of none, and nothing else', async () => {
  const none = await callsOfClaims(0)
  const many = await callsOfClaims(20_000)
  expect([none.claims, none.puts.length]).toEqual([1, 1])
  expect(many.claims).toBe(Math.ceil(20_001 / CLAIM_RECORDS))
  expect(many.puts).toHaveLength(2 * many.claims)
  expect(many.puts[0]).toMatch(/^hot-identity\/epoch=1\/s0-/)
  expect(many.rows).toBe(20_000)
  expect(many.stateChanges).toBe(many.claims * none.stateChanges)
})

test('the identity file of a claim follows from the claim alone, and a damaged one is written again from the stream', async () => {
  const { stream, lake, consumer, repair, keys } = createLakePipeline()
  stream.accept('s0', identifyRecord(1))
  await consumer.consume('s0')
  const [key = ''] = keys('hot-identity/')
  const bytes = lake.objects.get(key)
  lake.objects.set(key, new Uint8Array([1, 2, 3]))
  expect(await repair(key)).toBe(true)
  expect(lake.objects.get(key)).toEqual(bytes)
})
