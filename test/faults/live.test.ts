import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEventStream } from '#test/support/event-stream-client'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(cleanUp)

const target = (of: Service) => ({ port: Number(new URL(of.baseUrl).port) })
const headers = ({ credentials }: Service) => ({ 'X-API-Key': credentials.api_key })
const openStream = (of: Service, query = '', more: Record<string, string> = {}) =>
  openEventStream(target(of), `/stream?project=${of.credentials.project}${query}`, {
    ...headers(of),
    ...more,
  })

async function track(of: Service, event: string) {
  const body = { token: of.credentials.project_token, event, user_id: 'u', properties: { path: '/live' } }
  const response = await fetch(`${of.baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'User-Agent': HUMAN_USER_AGENT },
  })
  expect(response.status).toBe(202)
}

async function readLive(of: Service) {
  const response = await fetch(`${of.baseUrl}/live?window=300`, { headers: headers(of) })
  return (await response.json()) as { top_events: unknown[]; active_visitors: number }
}

test('after kill -9 and a restart a stream goes on after its last event, and the buffer is still there', async () => {
  const stream = openStream(service)
  await stream.waitFor(1)
  await track(service, 'last')
  await stream.waitFor(2)
  const lastId = stream.blocks()[1]?.id ?? ''
  await track(service, 'missed')
  await service.kill9()
  service = await startService({ dataDir: service.dataDir })
  const resumed = openStream(service, '', { 'Last-Event-ID': lastId })
  await resumed.waitFor(2)
  await track(service, 'after')
  await resumed.waitFor(3)
  expect(resumed.tracked().map(({ event }) => event)).toEqual(['missed', 'after'])
  await eventually(async () => expect((await readLive(service)).top_events).toHaveLength(3))
  // The streams of the killed process take no place of the ten.
  const streams = Array.from({ length: 9 }, () => openStream(service))
  for (const { waitFor } of streams) await waitFor(1)
  const refused = await fetch(`${service.baseUrl}/stream`, { headers: headers(service) })
  expect(refused.status).toBe(429)
})
