import { describe, expect, test } from 'vitest'
import type { JobQueue } from '#core/ports'

/** Makes a queue that gives its jobs to `run`, with short pauses; `idle` resolves when all of them are done. */
export type MakeJobQueue = (run: (job: string) => Promise<void>) => {
  queue: JobQueue<string>
  idle(): Promise<void>
}

/** What every JobQueue promises. */
export function jobQueueContract(name: string, make: MakeJobQueue): void {
  describe(`JobQueue: ${name}`, () => {
    test('a job that was sent is done', async () => {
      const done: string[] = []
      const { queue, idle } = make(async job => void done.push(job))
      await queue.send('a')
      await idle()
      expect(done).toEqual(['a'])
    })

    test('every one of many jobs is done at least once', async () => {
      const done = new Set<string>()
      const { queue, idle } = make(async job => void done.add(job))
      const jobs = Array.from({ length: 50 }, (_, i) => `job ${i}`)
      await Promise.all(jobs.map(job => queue.send(job)))
      await idle()
      expect([...done].toSorted()).toEqual(jobs.toSorted())
    })

    test('a job that fails is tried again until it is done', async () => {
      let tries = 0
      const { queue, idle } = make(async () => {
        tries += 1
        if (tries < 4) throw new Error('not yet')
      })
      await queue.send('a')
      await idle()
      expect(tries).toBe(4)
    })

    test('a failing job does not hold up the others', async () => {
      const done: string[] = []
      const { queue, idle } = make(async job => {
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
      const made: ReturnType<MakeJobQueue> = make(async job => {
        done.push(job)
        if (job === 'first') await made.queue.send('second')
      })
      await made.queue.send('first')
      await made.idle()
      expect(done).toEqual(['first', 'second'])
    })
  })
}
