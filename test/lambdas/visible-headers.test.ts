import { expect, test } from 'vitest'
import { visibleHeaders } from '#lambdas/visible-headers'
import { type Route, routes } from '#schemas/routes'

const headers = { cookie: 'session=1', origin: 'https://a.example' }

test('a row that takes no cookies gets the headers without them', () => {
  expect(visibleHeaders(routes.stats, headers)).toEqual({ origin: 'https://a.example' })
})

test('a row that takes cookies gets all headers', () => {
  const row: Route = { ...routes.stats, cookies: true }
  expect(visibleHeaders(row, headers)).toEqual(headers)
})

test('a request without cookies keeps its headers', () => {
  expect(visibleHeaders(routes.stats, { origin: 'https://a.example' })).toEqual({
    origin: 'https://a.example',
  })
})
