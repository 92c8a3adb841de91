import { expect, test } from 'vitest'
import { createRepairs, type RepairJob, repairing } from '#local/lake/repairs'

/** Repairs whose jobs are kept in `sent`; `repaired` holds the keys that were tried, `mends` says how it ends. */
function repairs(mends: boolean) {
  const sent: RepairJob[] = []
  const repaired: string[] = []
  const made = createRepairs(
    async key => {
      repaired.push(key)
      return mends
    },
    { send: async job => void sent.push(job) },
  )
  return { ...made, sent, repaired }
}

test('an object that is met damaged several times is repaired once', async () => {
  const { request, run, sent, repaired } = repairs(true)
  request('hot/a')
  request('hot/a')
  for (const job of sent) await run(job)
  expect(repaired).toEqual(['hot/a'])
})

test('an object that is damaged again after its repair is repaired again', async () => {
  const { request, run, sent } = repairs(true)
  request('hot/a')
  await run(sent[0]!)
  request('hot/a')
  expect(sent).toHaveLength(2)
})

test('an object that is lost is not tried again', async () => {
  const { request, run, sent } = repairs(false)
  request('hot/a')
  await run(sent[0]!)
  request('hot/a')
  expect(sent).toHaveLength(1)
})

test('only the report of damage asks for a repair, and it is logged all the same', () => {
  const logged: string[] = []
  const asked: string[] = []
  const log = repairing(
    code => void logged.push(code),
    key => void asked.push(key),
  )
  log('STARTED')
  log('LAKE_OBJECT_DAMAGED', { key: 'hot/a' })
  expect(logged).toEqual(['STARTED', 'LAKE_OBJECT_DAMAGED'])
  expect(asked).toEqual(['hot/a'])
})
