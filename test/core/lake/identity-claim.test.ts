import { expect, test } from 'vitest'
import { decodeIdentity } from '#core/identity/fold/identity-row'
import type { IdentifyRecord } from '#core/ingest/record'
import { createLakePipeline } from '#test/support/lake-pipeline'

function identifyRecord(i: number): IdentifyRecord {
  return {
    ...{ kind: 'identify', project_id: `proj_${i % 7}`, account_id: 'acct_1' },
    ...{ received_at: 1_000 + i, seq: i, previous_id: `anon_${i}`, user_id: 'victim' },
    ...{ traits: { plan: 'pro' }, email_hash: `hash ${i}` },
  }
}

/** The calls of ports that a claim of so many identify requests makes. */
async function callsOfClaim(
  requests: number,
): Promise<{ puts: string[]; stateChanges: number; rows: number }> {
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
  await consumer.consume('s0')
  const file = puts.find(key => key.startsWith('hot-identity/'))
  const rows = file === undefined ? [] : await decodeIdentity(lake.objects.get(file) as Uint8Array)
  return { puts, stateChanges: state.changes() - before, rows: rows.length }
}

test('a claim of 4,000 identify requests to one id writes one file more than a claim of none, and nothing else', async () => {
  const none = await callsOfClaim(0)
  const many = await callsOfClaim(4_000)
  expect(none.puts).toHaveLength(1)
  expect(many.puts).toHaveLength(2)
  expect(many.puts[0]).toMatch(/^hot-identity\/epoch=1\/s0-/)
  expect(many.rows).toBe(4_000)
  expect(many.stateChanges).toBe(none.stateChanges)
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
