import { expect, test } from 'vitest'
import { ApiError, unavailable } from '#core/errors'
import { createChain, EarlyResponse, type Exchange } from '#lambdas/chain/chain'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { routes } from '#schemas/routes'

const OK: HttpResponse = { status: 200, headers: { Own: 'handler' }, body: 'ok' }

function request(overrides: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'GET',
    path: '/health',
    params: {},
    query: {},
    headers: {},
    body: new Uint8Array(),
    ip: null,
    ...overrides,
  }
}

/** A chain without steps, and what it logs. */
function emptyChain() {
  const logged: unknown[] = []
  return { chain: createChain((code, fields) => void logged.push({ code, ...fields })), logged }
}

test('steps run in their order, and each gets what the earlier steps have added', async () => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step(() => ({ first: 1 }))
    .step(async ({ first }) => ({ second: first + 1 }))
    .step(({ first, second }) => ({ third: first + second }))
    .endpoint(routes.health, ({ first, second, third }) => ({ ...OK, body: `${first} ${second} ${third}` }))
  expect((await endpoint(request())).body).toBe('1 2 3')
})

test('a chain may be extended twice without an effect on either', async () => {
  const { chain } = emptyChain()
  const common = chain.step(() => ({ name: 'common' }))
  const one = common
    .step(() => ({ name: 'one' }))
    .endpoint(routes.health, ({ name }) => ({ ...OK, body: name }))
  const other = common.endpoint(routes.health, ({ name }) => ({ ...OK, body: name }))
  expect([(await one(request())).body, (await other(request())).body]).toEqual(['one', 'common'])
})

test('two requests to one endpoint share nothing', async () => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step(({ request, headers }) => void Object.assign(headers, { 'X-Path': request.path }))
    .endpoint(routes.health, ({ headers }) => ({ ...OK, body: Object.keys(headers).join() }))
  await endpoint(request())
  expect(await endpoint(request({ path: '/other' }))).toMatchObject({
    headers: { 'X-Path': '/other' },
    body: 'X-Path',
  })
})

test('a step that throws ends the chain with its error', async () => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step((): void => {
      throw new ApiError('FORBIDDEN', 'No.')
    })
    .step(() => expect.unreachable())
    .endpoint(routes.health, () => expect.unreachable())
  const { status, body } = await endpoint(request())
  expect([status, JSON.parse(String(body))]).toEqual([403, { error: 'FORBIDDEN', message: 'No.' }])
})

test('a step may end the chain with a response of its own', async () => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step(() => new EarlyResponse({ status: 303, headers: { Location: '/login' }, body: '' }))
    .step(() => expect.unreachable())
    .endpoint(routes.health, () => expect.unreachable())
  expect(await endpoint(request())).toEqual({ status: 303, headers: { Location: '/login' }, body: '' })
})

test('headers of steps are on the response of the handler, which may replace them', async () => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step(({ headers }) => void Object.assign(headers, { Added: 'step', Own: 'step' }))
    .endpoint(routes.health, () => OK)
  expect((await endpoint(request())).headers).toEqual({ Added: 'step', Own: 'handler' })
})

test.each<[string, () => void, () => HttpResponse]>([
  ['a later step', () => expectRefusal(), () => OK],
  ['the handler', () => {}, () => expectRefusal()],
])('headers of steps are on the error response of %s too', async (_, later, handler) => {
  const { chain } = emptyChain()
  const endpoint = chain
    .step(({ headers }) => void Object.assign(headers, { 'X-RateLimit-Remaining': '3' }))
    .step(later)
    .endpoint(routes.health, handler)
  const { status, headers } = await endpoint(request())
  expect([status, headers['X-RateLimit-Remaining'], headers['Access-Control-Allow-Origin']]).toEqual([
    403,
    '3',
    '*',
  ])
})

function expectRefusal(): never {
  throw new ApiError('FORBIDDEN')
}

test('hooks see the response, the last one added first, and may add headers to it', async () => {
  const { chain } = emptyChain()
  const order: string[] = []
  const hook = (name: string) => (call: Exchange) => {
    call.hooks.push(({ status }) => {
      order.push(`${name} ${status}`)
      call.headers[name] = String(order.length)
    })
  }
  const endpoint = chain
    .step(hook('first'))
    .step(hook('second'))
    .endpoint(routes.health, () => expectRefusal())
  expect((await endpoint(request())).headers).toMatchObject({ second: '1', first: '2' })
  expect(order).toEqual(['second 403', 'first 403'])
})

test('the error of a hook becomes the response, and earlier hooks see it', async () => {
  const { chain } = emptyChain()
  const statuses: number[] = []
  const endpoint = chain
    .step(({ hooks }) => void hooks.push(({ status }) => void statuses.push(status)))
    .step(({ hooks }) => void hooks.push(() => Promise.reject(unavailable('The state is busy.', 3))))
    .endpoint(routes.health, () => OK)
  expect((await endpoint(request())).status).toBe(503)
  expect(statuses).toEqual([503])
})

test('an ApiError gives its status, its fields and its headers to the response', async () => {
  const { chain } = emptyChain()
  const error = new ApiError('UNAVAILABLE', 'Busy.', { retryAfter: 2.1, fields: { queue: 3, error: 'no' } })
  const { status, body, headers } = await chain.endpoint(routes.health, () => Promise.reject(error))(
    request(),
  )
  expect(JSON.parse(String(body))).toEqual({ error: 'UNAVAILABLE', message: 'Busy.', queue: 3 })
  expect([status, headers['Retry-After'], headers['Access-Control-Allow-Origin']]).toEqual([503, '3', '*'])
})

test('another exception is a 500 without its text, and the log does not contain the query string', async () => {
  const { chain, logged } = emptyChain()
  const endpoint = chain.endpoint(routes.stats, () => Promise.reject(new TypeError('x is not a function')))
  const { status, body } = await endpoint(request({ query: { key: 'aak_1' } }))
  expect(status).toBe(500)
  expect(JSON.parse(String(body)).error).toBe('INTERNAL_ERROR')
  expect(String(body)).not.toContain('not a function')
  expect(logged).toEqual([
    { code: 'REQUEST_FAILED', route: 'GET /stats', error: expect.stringContaining('x is not a function') },
  ])
  expect(JSON.stringify(logged)).not.toContain('aak_1')
})

test('work that ends because the caller has gone is not logged', async () => {
  const { chain, logged } = emptyChain()
  const caller = new AbortController()
  const endpoint = chain.endpoint(routes.health, async ({ signal }) => {
    caller.abort()
    throw signal?.reason
  })
  await endpoint(request({ signal: caller.signal }))
  expect(logged).toEqual([])
})

test('the compiler refuses a step that needs what no earlier step adds', () => {
  const { chain } = emptyChain()
  const needsProject = (_: Exchange & { project: string }) => {}
  // @ts-expect-error no step adds a project
  expect(chain.step(needsProject)).toBeDefined()
  expect(chain.step(() => ({ project: 'shop' })).step(needsProject)).toBeDefined()
})
