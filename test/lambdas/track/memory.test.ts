import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { good, trackFunction } from './track-function.ts'

const REQUESTS = 200
const BATCH = {
  token: good.token,
  events: Array.from({ length: 100 }, (_, i) => ({
    event: 'page_view',
    user_id: `anon_${i}`,
    properties: { path: `/page-${i}`, title: `The title of page ${i}`, session_count: i },
  })),
}

/** The bytes of the heap that are in use, without garbage. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  collect()
  return process.memoryUsage().heapUsed
}

test('a request that waits for the log does not keep its parsed events', async () => {
  const log = Promise.withResolvers<void>()
  let waiting = 0
  const { send } = trackFunction({
    stream: {
      append() {
        waiting += 1
        return log.promise
      },
    },
  })
  const body = Buffer.from(JSON.stringify(BATCH))
  const jsonBytes = body.length
  const sendAll = () => Array.from({ length: REQUESTS }, () => send('/track/batch', body))
  const warmUp = sendAll()
  await expect.poll(() => waiting).toBe(REQUESTS)
  const before = usedHeap()
  const answers = sendAll()
  await expect.poll(() => waiting).toBe(2 * REQUESTS)
  // Parsed events take more memory than their JSON. A request that keeps none of them takes much less.
  expect((usedHeap() - before) / REQUESTS).toBeLessThan(jsonBytes / 2)
  log.resolve()
  for (const { status } of await Promise.all([...warmUp, ...answers])) expect(status).toBe(202)
})
