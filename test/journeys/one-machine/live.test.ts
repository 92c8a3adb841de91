import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { openStream, readLive, track } from '#test/support/live-client'
import { cleanUp, type Service, startService } from '#test/support/service-process'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(cleanUp)

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
