import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, type Service, startService } from '#test/support/service-process'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'

/** The erasure of a person to whom a stranger with the public token has linked thousands of ids. */

const LINKS = 20_000
const CONNECTIONS = 32

let service: Service
beforeAll(async () => {
  service = await startService({ env: { EPOCH_SECONDS: '2', QUERY_TIMEOUT_MS: '2000', SEED_DEMO: 'false' } })
})
afterAll(cleanUp)

/** Sends a request, again while a statement of the busy service takes longer than its two seconds. */
const call = (...request: Parameters<typeof callOnce>) =>
  eventually(async () => {
    const answer = await callOnce(...request)
    expect(answer.status, JSON.stringify(answer.body)).not.toBe(503)
    return answer
  })

async function callOnce(
  method: string,
  path: string,
  { body, key = true }: { body?: object; key?: boolean } = {},
) {
  const response = await fetch(`${service.baseUrl}${path}`, {
    method,
    headers: { 'User-Agent': HUMAN_USER_AGENT, ...(key && { 'X-API-Key': service.credentials.api_key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

/** As a page does it: with the public token alone. */
async function send(path: '/track' | '/identify', fields: object): Promise<void> {
  const body = { token: service.credentials.project_token, ...fields }
  expect((await call('POST', path, { body, key: false })).status).toBe(202)
}

const track = (user_id: string) => send('/track', { event: 'page_view', user_id })
const anonymous = (i: number) => `anon_${String(i).padStart(8, '0')}`

/** The users of all events, one entry for each event. */
async function users(): Promise<string[]> {
  const { body } = await call('GET', '/events?project=demo&since=1d&limit=100')
  return (body.events as { user_id: string }[]).map(({ user_id }) => user_id).toSorted()
}

test(`one request with the right "confirm" erases a person of ${LINKS + 1} ids, and the events of all these ids`, async () => {
  const remaining = Array.from({ length: LINKS }, (_, i) => i).values()
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      for (const i of remaining) await send('/identify', { previous_id: anonymous(i), user_id: 'victim' })
    }),
  )
  for (const id of ['victim', anonymous(0), anonymous(9_999), anonymous(LINKS - 1), 'bystander'])
    await track(id)
  await eventually(async () => expect(await users()).toEqual(['bystander', ...Array(4).fill('victim')]))

  const path = `/users/${anonymous(5)}?project=demo`
  const refused = await call('DELETE', path)
  expect(refused).toMatchObject({
    status: 409,
    body: { error: 'CONFIRMATION_REQUIRED', ids: LINKS + 1 },
  })
  const planned = await call('DELETE', `${path}&dry_run=true`)
  expect(planned.body).toMatchObject({ count: LINKS + 1, events: 4, truncated: true })
  const erased = await call('DELETE', `${path}&confirm=${LINKS + 1}`)
  expect(erased.status).toBe(202)
  expect(await users()).toEqual(['bystander'])

  await eventually(
    async () => {
      const { body } = await call('GET', `/erasures/${erased.body.erasure_id}`)
      expect(body).toMatchObject({ status: 'done', removed: { events: 4, links: LINKS } })
    },
    { everyMs: 1_000 },
  )
  // The ids stand for themselves again.
  await track(anonymous(9_999))
  await eventually(async () => expect(await users()).toEqual([anonymous(9_999), 'bystander']))
}, 600_000)
