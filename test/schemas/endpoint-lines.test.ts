import { expect, test } from 'vitest'
import { endpointLines } from '#schemas/endpoint-lines'
import type { Route } from '#schemas/route'
import { isDocumented, routes } from '#schemas/routes'

const lines = endpointLines().flatMap(group => group.lines)

test('every endpoint of the API has a line', () => {
  const rows = Object.values<Route>(routes).filter(isDocumented)
  expect(lines).toHaveLength(rows.length)
  expect(new Set(lines).size).toBe(rows.length)
})

test('the examples of reads name the demo project and what they need', () => {
  expect(lines).toContain('- GET /breakdown?project=demo&property=path : Events and users by a property')
  expect(lines.find(line => line.startsWith('- POST /paths '))).toContain(
    '{"project":"demo","goal_event":"signup"',
  )
})
