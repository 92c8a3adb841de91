import { expect, test } from 'vitest'
import { missingFields, pickEventFields } from '#core/reports/run/pick-event-fields'
import type { EventRow } from '#schemas/event'

const event: EventRow = {
  id: '01K',
  project_id: 'proj_1',
  event: 'page_view',
  properties: { path: '/pricing', event: 'own', deep: { a: 1 }, nothing: null },
  user_id: 'u1',
  session_id: null,
  timestamp: 7,
  date: '1970-01-01',
  country: 'DE',
}

test('a row has the named fields and properties, in their order', () => {
  const [row] = pickEventFields([event], ['timestamp', 'path', 'event', 'deep'])
  expect(Object.entries(row ?? {})).toEqual([
    ['timestamp', 7],
    ['path', '/pricing'],
    ['event', 'page_view'],
    ['deep', { a: 1 }],
  ])
})

test('a field that an event lacks is null, also one that every object inherits', () => {
  const names = ['event_id', 'session_id', 'plan', 'constructor', '__proto__']
  const [row] = pickEventFields([{ ...event, properties: null }], names)
  expect(Object.values(row ?? {})).toEqual([null, null, null, null, null])
  expect(Object.keys(row ?? {})).toEqual(names)
})

test('`properties.x` is the property also where the row has a field x', () => {
  expect(pickEventFields([event], ['properties.event', 'properties.path'])).toEqual([
    { 'properties.event': 'own', 'properties.path': '/pricing' },
  ])
})

test('without names the rows are whole', () => {
  expect(pickEventFields([event], undefined)).toEqual([event])
})

test('the properties that no row has are missing', () => {
  const fields = ['path', 'nothing', 'properties.plan', 'event_id']
  const rows = pickEventFields([event, { ...event, properties: null }], fields)
  expect(missingFields(rows, fields)).toEqual(['nothing', 'plan'])
  expect(missingFields(rows, undefined)).toEqual([])
})
