import { expect, test } from 'vitest'
import { createJobQueue } from '#local/pipeline/job-queue'
import type { LogCode } from '#schemas/log'
import { jobQueueContract } from '#test/contract/job-queue'

const shortPauses = { retryMs: 1, maxRetryMs: 4 }
const noLog = () => {}

jobQueueContract('in the process', run => {
  const queue = createJobQueue({ run, log: noLog }, shortPauses)
  return { queue, idle: queue.idle }
})

test('jobs run one after another', async () => {
  let running = 0
  let maxRunning = 0
  const queue = createJobQueue<number>(
    {
      run: async () => {
        running += 1
        maxRunning = Math.max(maxRunning, running)
        await new Promise(resolve => setImmediate(resolve))
        running -= 1
      },
      log: noLog,
    },
    shortPauses,
  )
  await Promise.all([1, 2, 3].map(queue.send))
  await queue.idle()
  expect(maxRunning).toBe(1)
})

test('urgent jobs go before the others that wait, in their order', async () => {
  const ran: string[] = []
  const queue = createJobQueue<string>(
    { run: async job => void ran.push(job), log: noLog, isUrgent: job => job.startsWith('compact') },
    shortPauses,
  )
  const sent = ['rewrite 1', 'rewrite 2', 'compact 1', 'rewrite 3', 'compact 2']
  await Promise.all(sent.map(queue.send))
  await queue.idle()
  // The first one runs when the others come.
  expect(ran).toEqual(['rewrite 1', 'compact 1', 'compact 2', 'rewrite 2', 'rewrite 3'])
})

test('a failed job is logged with the job and its number of failures, and tried again', async () => {
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
    shortPauses,
  )
  await queue.send('compact')
  await queue.idle()
  expect(logged).toEqual([
    ['JOB_FAILED', { job: 'compact', failures: 1, error: 'Error: disk full' }],
    ['JOB_FAILED', { job: 'compact', failures: 2, error: 'Error: disk full' }],
  ])
})

test('after a stop the running job ends and no other job starts', async () => {
  const finishedJobs: string[] = []
  const { promise: gate, resolve: openGate } = Promise.withResolvers<void>()
  const queue = createJobQueue<string>(
    {
      run: async job => {
        await gate
        finishedJobs.push(job)
      },
      log: noLog,
    },
    shortPauses,
  )
  await queue.send('running')
  await queue.send('waiting')
  const stop = queue.stop()
  openGate()
  await stop
  await queue.send('late')
  await queue.idle()
  expect(finishedJobs).toEqual(['running'])
})

test('a job that a stop cuts off is neither logged as failed nor tried again', async () => {
  const logged: LogCode[] = []
  const cuttingOff = new AbortController()
  let runs = 0
  const queue = createJobQueue<string>(
    {
      run: async () => {
        runs += 1
        cuttingOff.abort()
        throw new Error('The service stops.')
      },
      log: code => void logged.push(code),
      signal: cuttingOff.signal,
    },
    shortPauses,
  )
  await queue.send('compact')
  await queue.idle()
  expect([runs, logged]).toEqual([1, []])
})
