import { expect, test } from 'vitest'
import { createJobQueue } from '#local/pipeline/job-queue'
import type { LogCode } from '#schemas/log'
import { jobQueueContract } from '#test/contract/job-queue'

const quick = { retryMs: 1, maxRetryMs: 4 }
const silent = () => {}

jobQueueContract('in the process', run => {
  const queue = createJobQueue({ run, log: silent }, quick)
  return { queue, idle: queue.idle }
})

test('jobs run one after another', async () => {
  let running = 0
  let most = 0
  const queue = createJobQueue<number>(
    {
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise(resolve => setImmediate(resolve))
        running -= 1
      },
      log: silent,
    },
    quick,
  )
  await Promise.all([1, 2, 3].map(queue.send))
  await queue.idle()
  expect(most).toBe(1)
})

test('a failure is logged with its job and how often it failed', async () => {
  const logged: [LogCode, Record<string, unknown> | undefined][] = []
  let failures = 0
  const queue = createJobQueue<string>(
    {
      run: async () => {
        failures += 1
        if (failures < 3) throw new Error('disk full')
      },
      log: (code, fields) => void logged.push([code, fields]),
    },
    quick,
  )
  await queue.send('compact')
  await queue.idle()
  expect(logged).toEqual([
    ['JOB_FAILED', { job: 'compact', failures: 1, error: 'Error: disk full' }],
    ['JOB_FAILED', { job: 'compact', failures: 2, error: 'Error: disk full' }],
  ])
})

test('stop lets the running job end and starts no other', async () => {
  const done: string[] = []
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const queue = createJobQueue<string>(
    {
      run: async job => {
        await held
        done.push(job)
      },
      log: silent,
    },
    quick,
  )
  await queue.send('running')
  await queue.send('waiting')
  const stopped = queue.stop()
  release()
  await stopped
  await queue.send('late')
  await queue.idle()
  expect(done).toEqual(['running'])
})
