import { expect, test } from 'vitest'
import type { HttpRequest } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { routes } from '#schemas/routes'

const unreachable = () => expect.unreachable()

test('a route of another function is our bug, a 500 that is logged', async () => {
  const logged: unknown[] = []
  const log = (code: string, fields?: object) => void logged.push({ code, ...fields })
  const track = httpFunction<'track'>(log, {
    track: unreachable,
    trackBatch: unreachable,
    checkTrack: unreachable,
    identify: unreachable,
  })
  expect((await track(routes.health, {} as HttpRequest)).status).toBe(500)
  expect(logged).toMatchObject([{ code: 'REQUEST_FAILED', route: 'GET /health' }])
})

test('the compiler refuses a function that lacks the endpoint of a row', () => {
  // @ts-expect-error the row `trackBatch` has no endpoint
  expect(httpFunction<'track'>(() => {}, { track: unreachable })).toBeDefined()
})
