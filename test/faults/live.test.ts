import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { keyOf, openStream, readLive, track } from '#test/support/live-client'
import { cleanUp, type Service, startService } from '#test/support/service-process'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(cleanUp)

test('after kill -9 and a restart a stream goes on after its last event, and the buffer is still there', async () => {
  const stream = openStream(service)
  await stream.waitFor(1)
  await track(service, 'last')
  await stream.waitFor(2)
  const lastId = stream.blocks()[1]?.id ?? ''
  await track(service, 'missed')
  await service.kill9()
  service = await startService({ dataDir: service.dataDir })
  const resumed = openStream(service, { 'Last-Event-ID': lastId })
  await resumed.waitFor(2)
  await track(service, 'after')
  await resumed.waitFor(3)
  expect(resumed.tracked().map(({ event }) => event)).toEqual(['missed', 'after'])
  await eventually(async () => expect((await readLive(service)).top_events).toHaveLength(3))
  // The streams of the killed process take no place of the ten.
  const streams = Array.from({ length: 9 }, () => openStream(service))
  for (const { waitFor } of streams) await waitFor(1)
  const refused = await fetch(`${service.baseUrl}/stream`, { headers: keyOf(service) })
  expect(refused.status).toBe(429)
})
