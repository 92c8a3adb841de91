import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import type { FunctionName } from '#schemas/functions'
import { exampleEvent, type HttpEvent, type HttpResult, kinesisEvent } from '#test/support/lambda-events'
import type { Deployed } from './deployed.ts'

export const parseBody = (result: HttpResult) => JSON.parse(result.body ?? 'null')

type Change = (event: HttpEvent) => void

/** A request POST /track with one event of the owner's project. */
export function trackEvent({ owner }: Deployed, change: Change = () => {}): HttpEvent {
  return exampleEvent<HttpEvent>('track', event => {
    event.body = event.body?.replace(/aat_0+/, owner.project_token) ?? ''
    change(event)
  })
}

/** A request GET /stats for the owner's project, with the owner's API key. */
export function statsEvent({ owner }: Deployed, change: Change = () => {}): HttpEvent {
  return exampleEvent<HttpEvent>('stats', event => {
    event.headers['x-api-key'] = owner.api_key
    change(event)
  })
}

type RejectedRequest = [
  name: string,
  functionName: FunctionName,
  event: (deployed: Deployed) => HttpEvent,
  status: number,
  code: string,
]

const rejectedRequests: RejectedRequest[] = [
  [
    'a body above 1 MiB',
    'track',
    deployed =>
      trackEvent(deployed, event => {
        event.body = ' '.repeat(1_048_577)
      }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'a body that is not JSON',
    'track',
    deployed =>
      trackEvent(deployed, event => {
        event.body = '{'
      }),
    400,
    'INVALID_BODY',
  ],
  [
    'a request without a body',
    'track',
    deployed =>
      trackEvent(deployed, event => {
        delete event.body
      }),
    400,
    'INVALID_BODY',
  ],
  ['an unknown project token', 'track', () => exampleEvent('track'), 401, 'INVALID_TOKEN'],
  [
    'an origin that the project does not allow',
    'track',
    deployed =>
      trackEvent(deployed, event => {
        event.headers.origin = 'https://evil.example'
      }),
    403,
    'FORBIDDEN',
  ],
  [
    'a read without a credential',
    'reports',
    deployed =>
      statsEvent(deployed, event => {
        delete event.headers['x-api-key']
      }),
    401,
    'AUTH_REQUIRED',
  ],
  ['an unknown API key', 'reports', () => exampleEvent('stats'), 401, 'AUTH_REQUIRED'],
  [
    'a query string with invalid percent-encoding',
    'reports',
    deployed =>
      statsEvent(deployed, event => {
        event.rawQueryString = 'project=%zz'
      }),
    400,
    'MISSING_FIELDS',
  ],
  ['an unknown path', 'site', () => exampleEvent('default'), 404, 'NOT_FOUND'],
]

export function httpFunctions(deployed: () => Deployed): void {
  describe('an HTTP function', () => {
    const request = (name: FunctionName, event: HttpEvent) =>
      deployed().service.invoke<HttpResult>(name, event)

    test.each(rejectedRequests)('rejects %s', async (_, functionName, event, status, code) => {
      const response = await request(functionName, event(deployed()))
      expect([response.statusCode, parseBody(response).error]).toEqual([status, code])
      expect(response.headers['Access-Control-Allow-Origin']).toBe('*')
    })

    test('reads a base64 body', async () => {
      const { owner } = deployed()
      const event = exampleEvent<HttpEvent>('track-batch', event => {
        const text = Buffer.from(event.body ?? '', 'base64').toString()
        event.body = Buffer.from(text.replace(/aat_0+/, owner.project_token)).toString('base64')
      })
      const response = await request('track', event)
      expect([response.statusCode, parseBody(response)]).toEqual([202, { ok: true, queued: true, count: 1 }])
    })

    test('rejects an unsupported method and lists the allowed methods', async () => {
      const event = exampleEvent<HttpEvent>('default', event => {
        event.rawPath = '/track'
      })
      const response = await request('site', event)
      expect([response.statusCode, response.headers.Allow]).toEqual([405, 'POST, OPTIONS'])
    })

    test.each(['/tracker.js', '/tracker.core.js'])(
      'serves the bundled %s, and responds to HEAD with its headers only',
      async path => {
        const trackerEvent = (method: string) =>
          exampleEvent<HttpEvent>('default', event => {
            Object.assign(event, { routeKey: `${method} ${path}`, rawPath: path })
            event.requestContext.http.method = method
          })
        const get = await request('site', trackerEvent('GET'))
        expect(get.headers['Content-Type']).toContain('javascript')
        expect(get.headers['Content-Encoding']).toBe('br')
        const script = brotliDecompressSync(Buffer.from(get.body ?? '', 'base64'))
        expect(script.toString()).toContain('data-token')
        const head = await request('site', trackerEvent('HEAD'))
        expect([head.statusCode, head.headers.ETag, head.body]).toEqual([200, get.headers.ETag, undefined])
      },
    )

    test('lists the owner’s project when the API key is in the query string', async () => {
      const { owner } = deployed()
      const event = statsEvent(deployed(), event => {
        Object.assign(event, { routeKey: 'GET /projects', rawPath: '/projects' })
        event.rawQueryString = `key=${owner.api_key}`
        delete event.headers['x-api-key']
      })
      expect(parseBody(await request('control', event)).projects).toMatchObject([
        {
          name: 'website',
          project_token: owner.project_token,
          allowed_origins: 'https://shop.example.com',
        },
      ])
    })

    test('compresses a response above 6 MB for clients that accept gzip, and tells others to lower `limit`', async () => {
      await storeLargeEvents(deployed())
      const eventsRequest = (encoding: string) =>
        statsEvent(deployed(), event => {
          Object.assign(event, { routeKey: 'GET /events', rawPath: '/events' })
          event.rawQueryString = 'project=website&since=1d&event=large&limit=1000'
          event.headers['accept-encoding'] = encoding
        })
      const rejected = await request('reports', eventsRequest('gzip;q=0, identity'))
      expect([rejected.statusCode, parseBody(rejected).error]).toEqual([400, 'MISSING_FIELDS'])
      expect(parseBody(rejected).message).toContain('limit')
      const compressed = await request('reports', eventsRequest('br, gzip;q=0.8'))
      expect([compressed.statusCode, compressed.headers['Content-Encoding']]).toEqual([200, 'gzip'])
      const text = gunzipSync(Buffer.from(compressed.body ?? '', 'base64')).toString()
      expect(JSON.parse(text).count).toBe(1_000)
    })
  })
}

/** Stores 1,000 events of 8 kB in hot files. */
async function storeLargeEvents({ service, owner }: Deployed): Promise<void> {
  const before = await service.readStream()
  const project = await service.stores.projects.byToken(owner.project_token)
  if (project === null) throw new Error('the project does not exist')
  const now = Date.now()
  const properties = { text: 'x"'.repeat(3_900) }
  const event = {
    event: 'large',
    user_id: null,
    session_id: null,
    timestamp: now,
    event_id: null,
    properties,
  }
  const { id: project_id, account_id, bucket } = project
  const records = Array.from({ length: 10 }, (_, i) =>
    packRecord({
      ...({ kind: 'events', project_id, account_id, bucket, country: null } as const),
      received_at: now,
      seq: 1_000 + 100 * i,
      events: Array.from({ length: 100 }, () => event),
    }),
  )
  await service.stream.append(records)
  const { shard, entries } = await service.readStream(before.entries.at(-1)?.sequence)
  await service.invoke('lake', kinesisEvent(shard, entries))
}
