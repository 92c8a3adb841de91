import { describe, expect, test } from 'vitest'
import type { JobQueue } from '#core/ports'

/**
 * Creates a queue that passes its jobs to `run`, with short pauses. `idle` resolves when all jobs are done.
 */
export type CreateJobQueue = (run: (job: string) => Promise<void>) => {
  queue: JobQueue<string>
  idle(): Promise<void>
}

/** Tests the rules of the port JobQueue (core/ports.ts) on one implementation. */
export function jobQueueContract(name: string, createQueue: CreateJobQueue): void {
  describe(`${name} as a JobQueue`, () => {
    test('a sent job is run', async () => {
      const done: string[] = []
      const { queue, idle } = createQueue(async job => void done.push(job))
      await queue.send('a')
      await idle()
      expect(done).toEqual(['a'])
    })

    test('each of many jobs is run at least once', async () => {
      const done = new Set<string>()
      const { queue, idle } = createQueue(async job => void done.add(job))
      const jobs = Array.from({ length: 50 }, (_, i) => `job ${i}`)
      await Promise.all(jobs.map(job => queue.send(job)))
      await idle()
      expect([...done].toSorted()).toEqual(jobs.toSorted())
    })

    test('a job that fails is run again until it succeeds', async () => {
      let tries = 0
      const { queue, idle } = createQueue(async () => {
        tries += 1
        if (tries < 4) throw new Error('not yet')
      })
      await queue.send('a')
      await idle()
      expect(tries).toBe(4)
    })

    test('a job that fails does not delay the others', async () => {
      const done: string[] = []
      const { queue, idle } = createQueue(async job => {
        if (job === 'bad' && !done.includes('good')) throw new Error('only after the good one')
        done.push(job)
      })
      await queue.send('bad')
      await queue.send('good')
      await idle()
      expect(done).toEqual(['good', 'bad'])
    })

    test('a job may send further jobs', async () => {
      const done: string[] = []
      const opened: ReturnType<CreateJobQueue> = createQueue(async job => {
        done.push(job)
        if (job === 'first') await opened.queue.send('second')
      })
      await opened.queue.send('first')
      await opened.idle()
      expect(done).toEqual(['first', 'second'])
    })
  })
}
