import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { routes } from '#schemas/routes'
import type { BuiltLake } from '#test/support/build-lake'
import { type FolderLake, openFolderLake } from '#test/support/folder-lake'
import { type HttpService, NOW, openHttpService } from '#test/support/http-service'
import { recordOf } from '#test/support/record-of'

/** More groups than a response shows. */
const GROUPS = 12

let folder: FolderLake
let service: HttpService
let built: BuiltLake
let project: Project

const times = <T>(count: number, value: T): T[] => Array(count).fill(value)

/** What the events of a name have as `value`, and the sum that a person computes. */
const SUMS: Record<string, { values: (number | string)[]; sum: number | null; avg: number | null }> = {
  prices: { values: times(10, 19.9), sum: 199, avg: 19.9 },
  cents: { values: [0.1, 0.2, 0.3], sum: 0.6, avg: 0.6 / 3 },
  refunds: { values: [...times(3, 33.33), -99.99], sum: 0, avg: 0 },
  texts: { values: [...times(10, '19.90'), 0.05], sum: 199.05, avg: 199.05 / 11 },
  large: { values: [...times(7, 8_999_999_999.99), 0.07], sum: 63_000_000_000, avg: 7_875_000_000 },
  shares: { values: times(7, 0.123456), sum: 0.864192, avg: 0.123456 },
  // Numbers with more places, and larger ones, are added as before.
  tiny: { values: times(4, 2 ** -40), sum: 2 ** -38, avg: 2 ** -40 },
  huge: { values: [2 ** 80, 0.5, 2 ** 80], sum: 2 ** 81, avg: 2 ** 81 / 3 },
  exponents: { values: ['1.5e3', '25E-1', 1], sum: 1503.5, avg: 1503.5 / 3 },
  none: { values: ['much', '1e999', ' 5'], sum: null, avg: null },
}

beforeAll(async () => {
  folder = await openFolderLake()
  service = await openHttpService({ reading: { engine: folder.engine, openLake: () => built.openLake() } })
  project = await service.createProject()
  const person = (i: number) => ({ user_id: `u${i % 6}`, timestamp: NOW - 60_000 })
  const sums = Object.entries(SUMS).flatMap(([event, { values }]) =>
    values.map((value, i) => ({ event, properties: { value }, ...person(i) })),
  )
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    [0, 1, 2, 3, 4, 5].map(i => ({
      event: 'grouped',
      properties: { value: 0.1, group: `g${group}` },
      ...person(i),
    })),
  ).flat()
  const all = [...sums, ...groups]
  const records = [recordOf(project, all.slice(0, 40), 1), recordOf(project, all.slice(40), 2)]
  // A part in a segment, a part in a hot file.
  built = await folder.build({ epochs: [[records.slice(0, 1)], [records.slice(1)]], compacted: 1 })
}, 60_000)

afterAll(async () => {
  await service.close()
  await folder.close()
})

async function ask(fields: Record<string, unknown>) {
  const { status, body } = await service.call(routes.query, { body: { project: project.name, ...fields } })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.rows as Record<string, number | string | null>[]
}

const ofEvent = (value: string) => ({ filters: [{ field: 'event', op: 'eq', value }] })

test.each(Object.entries(SUMS))('the sum and the mean of %s are exact', async (name, { sum, avg }) => {
  const metrics = ['sum(value)', 'avg(properties.value)']
  expect(await ask({ ...ofEvent(name), metrics })).toEqual([
    { 'sum(value)': sum, 'avg(properties.value)': avg },
  ])
})

test('sums are exact in groups, beside other metrics, and in the row of the other groups', async () => {
  const metrics = ['sum(value)', 'p50(value)', 'min(value)', 'unique_users', 'event_count']
  const rows = await ask({
    ...ofEvent('grouped'),
    metrics,
    group_by: ['properties.group'],
    count_mode: 'raw',
    limit: 5,
  })
  expect(rows.map(row => row['sum(value)'])).toEqual([...times(5, 0.6), 4.2])
  const [all] = await ask({ ...ofEvent('grouped'), metrics: ['sum(value)'] })
  expect(all).toEqual({ 'sum(value)': 7.2 })
})
