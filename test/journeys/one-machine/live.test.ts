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

async function track(of: Service, event: string, userAgent = HUMAN_USER_AGENT) {
  const body = { token: of.credentials.project_token, event, user_id: 'u', properties: { path: '/live' } }
  const response = await fetch(`${of.baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'User-Agent': userAgent },
  })
  expect(response.status).toBe(202)
}

async function readLive(of: Service) {
  const response = await fetch(`${of.baseUrl}/live?window=300`, { headers: headers(of) })
  return (await response.json()) as { top_events: unknown[]; active_visitors: number }
}

test('a tracked event is in /live and /stream, and a bot is in neither', async () => {
  const stream = openStream(service)
  await stream.waitFor(1)
  await track(service, 'bot_event', 'curl/8.5.0')
  await track(service, 'signup')
  await stream.waitFor(2)
  await eventually(async () =>
    expect(await readLive(service)).toMatchObject({
      active_visitors: 1,
      top_events: [{ event: 'signup', count: 1 }],
    }),
  )
  expect(stream.tracked()).toMatchObject([{ event: 'signup', user_id: 'u', properties: { path: '/live' } }])
})
