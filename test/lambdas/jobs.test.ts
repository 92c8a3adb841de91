import { expect, test } from 'vitest'
import type { Log } from '#core/ports'
import { jobsHandler } from '#lambdas/jobs/handler'
import { sqsEvent } from '#test/support/lambda-events'

const message = (id: string, body: string, receives = 1) => ({ id, body, receives })

test('a batch reports only the messages whose job failed or cannot be read, and logs them', async () => {
  const logged: Parameters<Log>[] = []
  const handler = jobsHandler<string>({
    run: async job => {
      if (job === 'bad') throw new Error('disk full')
    },
    log: (...line) => logged.push(line),
  })
  const given = [message('1', '"good"'), message('2', '"bad"', 3), message('3', '{'), message('4', '"good"')]
  expect(await handler(sqsEvent(given))).toEqual({
    batchItemFailures: [{ itemIdentifier: '2' }, { itemIdentifier: '3' }],
  })
  expect(logged).toEqual([
    ['JOB_FAILED', { job: '"bad"', failures: 3, error: 'Error: disk full' }],
    ['JOB_FAILED', { job: '{', failures: 1, error: expect.stringContaining('SyntaxError') }],
  ])
})

test('a batch runs its jobs one after another', async () => {
  let running = 0
  let most = 0
  const handler = jobsHandler<number>({
    run: async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise(resolve => setImmediate(resolve))
      running -= 1
    },
    log: () => {},
  })
  await handler(sqsEvent([message('1', '1'), message('2', '2'), message('3', '3')]))
  expect(most).toBe(1)
})
