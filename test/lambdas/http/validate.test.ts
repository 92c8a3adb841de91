import { expect, test } from 'vitest'
import * as z from 'zod'
import { validate } from '#lambdas/http/validate'
import { limit, oneOf, questionOfWeek, wholeNumber } from '#schemas/fields'

const schema = z.object({
  name: z.string().min(1),
  hosts: z.array(z.string()).optional(),
  since: questionOfWeek.since,
  days: wholeNumber('days', 0, 3650).optional(),
  groupBy: oneOf('groupBy', ['day', 'week']).default('day'),
  limit,
})

test('valid fields come out typed, with their defaults, and without unknown fields', () => {
  const input = { name: 'x', days: '7', since: '2026-11-01', key: 'aak_secret' }
  expect(validate(schema, input)).toEqual({
    name: 'x',
    days: 7,
    since: '2026-11-01',
    groupBy: 'day',
    limit: 100,
  })
})

test.each([
  [{}, 'MISSING_FIELDS', 'Field `name` is missing. Add it.'],
  [{ name: 5 }, 'MISSING_FIELDS', 'Field `name` must be a text.'],
  [{ name: 'x', hosts: ['a', 5] }, 'MISSING_FIELDS', 'Field `hosts.1` must be a text.'],
  [{ name: '' }, 'MISSING_FIELDS', 'Field `name` must have at least 1 characters.'],
  [{ name: 'x', groupBy: 'year' }, 'MISSING_FIELDS', 'Parameter `groupBy` must be one of `day`, `week`.'],
  [
    { name: 'x', limit: '1001' },
    'MISSING_FIELDS',
    'Parameter `limit` must be a whole number from 1 to 1000.',
  ],
  [{ name: 'x', limit: '0' }, 'MISSING_FIELDS', 'Parameter `limit` must be a whole number from 1 to 1000.'],
  [{ name: 'x', limit: '' }, 'MISSING_FIELDS', 'Parameter `limit` must be a whole number from 1 to 1000.'],
  [{ name: 'x', limit: '1e2' }, 'MISSING_FIELDS', 'Parameter `limit` must be a whole number from 1 to 1000.'],
  [{ name: 'x', limit: 1.5 }, 'MISSING_FIELDS', 'Parameter `limit` must be a whole number from 1 to 1000.'],
  [{ name: 'x', days: '-1' }, 'MISSING_FIELDS', 'Parameter `days` must be a whole number from 0 to 3650.'],
  [{ name: 'x', since: 'yesterday' }, 'INVALID_SINCE', /^Parameter `since` must be .* ISO 8601/],
  [{ name: 'x', since: '24h' }, 'INVALID_SINCE', /^Parameter `since` must be/],
  [{ name: 'x', since: '3651d' }, 'INVALID_SINCE', /^Parameter `since` must be/],
  [{ name: 'x', since: '2026-02-30' }, 'INVALID_SINCE', /^Parameter `since` must be/],
  [{ name: 'x', since: '2026-13-01' }, 'INVALID_SINCE', /^Parameter `since` must be/],
  [{ name: 'x', since: '' }, 'INVALID_SINCE', /^Parameter `since` must be/],
])('%j is rejected: %s, %s', (input, code, message) => {
  expect(() => validate(schema, input)).toThrow(
    expect.objectContaining({
      code,
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    }),
  )
})
