import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { packRecord } from '#core/ingest/record'
import type { FunctionName } from '#schemas/functions'
import { captured, type HttpEvent, type HttpResult, kinesisEvent } from '../support/bundle-world.ts'
import type { Deployed } from './bundles.test.ts'

export const bodyOf = (result: HttpResult) => JSON.parse(result.body ?? 'null')

type Change = (event: HttpEvent) => void

/** POST /track of one event of the owner's project. */
export function track({ owner }: Deployed, change: Change = () => {}): HttpEvent {
  return captured<HttpEvent>('track', event => {
    event.body = event.body?.replace(/aat_0+/, owner.project_token) ?? ''
    change(event)
  })
}

/** GET /stats of the owner's project, with their key. */
export function stats({ owner }: Deployed, change: Change = () => {}): HttpEvent {
  return captured<HttpEvent>('stats', event => {
    event.headers['x-api-key'] = owner.api_key
    change(event)
  })
}

type Refused = [
  what: string,
  name: FunctionName,
  event: (deployed: Deployed) => HttpEvent,
  status: number,
  code: string,
]

const refused: Refused[] = [
  [
    'a body above 1 MiB',
    'track',
    to =>
      track(to, event => {
        event.body = ' '.repeat(1_048_577)
      }),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'a body that is no JSON',
    'track',
    to =>
      track(to, event => {
        event.body = '{'
      }),
    400,
    'INVALID_BODY',
  ],
  [
    'no body',
    'track',
    to =>
      track(to, event => {
        delete event.body
      }),
    400,
    'INVALID_BODY',
  ],
  ['a token that nobody has', 'track', () => captured('track'), 401, 'INVALID_TOKEN'],
  [
    'an origin that may not',
    'track',
    to =>
      track(to, event => {
        event.headers.origin = 'https://evil.example'
      }),
    403,
    'FORBIDDEN',
  ],
  [
    'no credential',
    'reports',
    to =>
      stats(to, event => {
        delete event.headers['x-api-key']
      }),
    401,
    'AUTH_REQUIRED',
  ],
  ['a key that nobody has', 'reports', () => captured('stats'), 401, 'AUTH_REQUIRED'],
  [
    'bad percent-encoding',
    'reports',
    to =>
      stats(to, event => {
        event.rawQueryString = 'project=%zz'
      }),
    400,
    'MISSING_FIELDS',
  ],
  ['an unknown path', 'site', () => captured('default'), 404, 'NOT_FOUND'],
]

export function httpFunctions(deployed: () => Deployed): void {
  describe('over HTTP', () => {
    const ask = (name: FunctionName, event: HttpEvent) => deployed().world.invoke<HttpResult>(name, event)

    test.each(refused)('%s is refused', async (_, name, event, status, code) => {
      const answer = await ask(name, event(deployed()))
      expect([answer.statusCode, bodyOf(answer).error]).toEqual([status, code])
      expect(answer.headers['Access-Control-Allow-Origin']).toBe('*')
    })

    test('a body in base64 is read', async () => {
      const { owner } = deployed()
      const event = captured<HttpEvent>('track-batch', event => {
        const text = Buffer.from(event.body ?? '', 'base64').toString()
        event.body = Buffer.from(text.replace(/aat_0+/, owner.project_token)).toString('base64')
      })
      const answer = await ask('track', event)
      expect([answer.statusCode, bodyOf(answer)]).toEqual([202, { ok: true, queued: true, count: 1 }])
    })

    test('a path with another method names those that it takes', async () => {
      const wrong = captured<HttpEvent>('default', event => {
        event.rawPath = '/track'
      })
      const answer = await ask('site', wrong)
      expect([answer.statusCode, answer.headers.Allow]).toEqual([405, 'POST, OPTIONS'])
    })

    test('the tracker that was bundled is delivered, and HEAD tells of it without it', async () => {
      const asked = (method: string) =>
        captured<HttpEvent>('default', event => {
          Object.assign(event, { routeKey: `${method} /tracker.js`, rawPath: '/tracker.js' })
          event.requestContext.http.method = method
        })
      const got = await ask('site', asked('GET'))
      expect(got.headers['Content-Type']).toContain('javascript')
      expect(Buffer.from(got.body ?? '', 'base64').toString()).toContain('data-token')
      const told = await ask('site', asked('HEAD'))
      expect([told.statusCode, told.headers.ETag, told.body]).toEqual([200, got.headers.ETag, undefined])
    })

    test('the owner finds their project, also with the key in the query', async () => {
      const { owner } = deployed()
      const asked = stats(deployed(), event => {
        Object.assign(event, { routeKey: 'GET /projects', rawPath: '/projects' })
        event.rawQueryString = `key=${owner.api_key}`
        delete event.headers['x-api-key']
      })
      expect(bodyOf(await ask('control', asked)).projects).toMatchObject([
        {
          name: 'website',
          project_token: owner.project_token,
          allowed_origins: 'https://shop.example.com',
        },
      ])
    })

    test('an answer above 6 MB is compressed for who reads that; others are told what to do', async () => {
      await storeLargeEvents(deployed())
      const asked = (encoding: string) =>
        stats(deployed(), event => {
          Object.assign(event, { routeKey: 'GET /events', rawPath: '/events' })
          event.rawQueryString = 'project=website&since=1d&event=large&limit=1000'
          event.headers['accept-encoding'] = encoding
        })
      const told = await ask('reports', asked('gzip;q=0, identity'))
      expect([told.statusCode, bodyOf(told).error]).toEqual([400, 'MISSING_FIELDS'])
      expect(bodyOf(told).message).toContain('limit')
      const given = await ask('reports', asked('br, gzip;q=0.8'))
      expect([given.statusCode, given.headers['Content-Encoding']]).toEqual([200, 'gzip'])
      const text = gunzipSync(Buffer.from(given.body ?? '', 'base64')).toString()
      expect(JSON.parse(text).count).toBe(1_000)
    })
  })
}

/** A thousand events of 8 kB, hot. */
async function storeLargeEvents({ world, owner }: Deployed): Promise<void> {
  const before = await world.onStream()
  const project = await world.stores.projects.byToken(owner.project_token)
  if (project === null) throw new Error('the project is gone')
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
  await world.stream.append(records)
  const { shard, entries } = await world.onStream(before.entries.at(-1)?.sequence)
  await world.invoke('lake', kinesisEvent(shard, entries))
}
