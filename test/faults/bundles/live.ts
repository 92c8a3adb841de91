import { describe, expect, test } from 'vitest'
import type { HttpEvent, HttpResult } from '#test/support/lambda-events'
import { exampleEvent, kinesisEvent } from '#test/support/lambda-events'
import { liveRecord, toEntry } from '#test/support/live-records'
import type { Deployed } from './deployed.ts'

/** A request to the function URL of the streaming function. */
function streamRequest(headers: Record<string, string>, method = 'GET'): HttpEvent {
  return exampleEvent<HttpEvent>('stats', event => {
    event.routeKey = '$default'
    event.rawPath = '/stream'
    event.rawQueryString = ''
    event.requestContext.http = Object.assign(event.requestContext.http, { method, path: '/stream' })
    event.headers = { 'x-footfall-edge': 'edge-1', 'x-footfall-host': 'stats.example.com', ...headers }
  })
}

export function live(deployed: () => Deployed): void {
  describe('live reads', () => {
    test('an event of the stream reaches GET /live through the live function', async () => {
      const { service, owner } = deployed()
      const { id = '' } = (await service.stores.projects.byToken(owner.project_token)) ?? {}
      const record = liveRecord(1, Date.now(), [{ event: 'live_event', user_id: 'u' }])
      await service.invoke('live', kinesisEvent('shardId-000000000000', [toEntry(record, id)]))
      const result = await service.invoke<HttpResult>(
        'reports',
        exampleEvent<HttpEvent>('stats', event => {
          event.routeKey = 'GET /live'
          event.rawPath = '/live'
          event.rawQueryString = ''
          event.headers['x-api-key'] = owner.api_key
        }),
      )
      expect(JSON.parse(result.body ?? '')).toMatchObject({
        active_visitors: 1,
        recent_events: [{ event: 'live_event' }],
      })
    })

    test('a stream opens for the credential of an account, through CloudFront only', async () => {
      const { service, owner } = deployed()
      const call = (headers: Record<string, string>, method?: string) =>
        service.invoke<HttpResult>('stream', streamRequest(headers, method))
      const open = await call({ 'x-api-key': owner.api_key }, 'HEAD')
      expect([open.statusCode, open.headers?.['Content-Type']]).toEqual([200, 'text/event-stream'])
      const anonymous = await call({})
      expect(anonymous.statusCode).toBe(401)
      expect(anonymous.headers?.['WWW-Authenticate']).toContain('https://stats.example.com/.well-known/')
      expect((await call({ 'x-api-key': owner.api_key, 'x-footfall-edge': '' })).statusCode).toBe(403)
    })
  })
}
