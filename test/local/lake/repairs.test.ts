import { expect, test } from 'vitest'
import { createRepairingLog, createRepairs, type RepairJob } from '#local/lake/repairs'

/**
 * Creates repairs whose result is `succeeds`. Collects the jobs in `jobs`, and the keys that were repaired in
 * `keys`.
 */
function setUp(succeeds: boolean) {
  const jobs: RepairJob[] = []
  const keys: string[] = []
  const repairs = createRepairs(
    async key => {
      keys.push(key)
      return succeeds
    },
    { send: async job => void jobs.push(job) },
  )
  return { ...repairs, jobs, keys }
}

test('an object that is requested twice before its repair is repaired once', async () => {
  const { request, run, jobs, keys } = setUp(true)
  request('hot/a')
  request('hot/a')
  for (const job of jobs) await run(job)
  expect(keys).toEqual(['hot/a'])
})

test('an object that is damaged again after its repair is repaired again', async () => {
  const { request, run, jobs } = setUp(true)
  request('hot/a')
  await run(jobs[0]!)
  request('hot/a')
  expect(jobs).toHaveLength(2)
})

test('an object that cannot be repaired is not tried again', async () => {
  const { request, run, jobs } = setUp(false)
  request('hot/a')
  await run(jobs[0]!)
  request('hot/a')
  expect(jobs).toHaveLength(1)
})

test('only a line about damage requests a repair, and every line is logged', () => {
  const logged: string[] = []
  const requestedKeys: string[] = []
  const log = createRepairingLog(
    code => void logged.push(code),
    key => void requestedKeys.push(key),
  )
  log('STARTED')
  log('LAKE_OBJECT_DAMAGED', { key: 'hot/a' })
  expect(logged).toEqual(['STARTED', 'LAKE_OBJECT_DAMAGED'])
  expect(requestedKeys).toEqual(['hot/a'])
})
