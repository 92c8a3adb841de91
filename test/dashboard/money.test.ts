import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'

/** Sums of money by source, for purchases whose truth is known. */

const drawings = useDrawings()

type Purchase = { user: string; source: string; value: number; currency: string }

async function projectWith(purchases: readonly Purchase[]): Promise<string> {
  const name = `money-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const events = purchases.flatMap(({ user, source, value, currency }) => {
    const ids = { user_id: user, session_id: user }
    return [
      { event: 'page_view', ...ids, properties: { path: '/', utm_source: source } },
      { event: 'purchase', ...ids, properties: { value, currency } },
    ]
  })
  await drawings.post('/track/batch', { token, events }, 202)
  await eventually(async () => {
    const stats = await drawings.get<{ totals: { total_events: number } }>(`/stats?project=${name}&since=0d`)
    expect(stats.totals.total_events).toBe(events.length)
  })
  return name
}

const sums = async (name: string) => {
  const page = await drawings.draw(`/app/p/${name}/sources?range=1d&by=source&goal=purchase`)
  return page.cells('Sessions by source').map(row => [row[0], row.at(-1)])
}

test('sums of several currencies stand apart, each with its currency', async () => {
  const name = await projectWith([
    { user: 'u1', source: 'spring', value: 20, currency: 'EUR' },
    { user: 'u2', source: 'spring', value: 1000, currency: 'JPY' },
    { user: 'u3', source: 'autumn', value: 10, currency: 'eur' },
  ])
  expect(await sums(name)).toEqual([
    ['spring', '20 EUR, 1,000 JPY'],
    ['autumn', '10 EUR'],
  ])
})

test('sums of one currency are numbers with it', async () => {
  const name = await projectWith([
    { user: 'u1', source: 'spring', value: 20, currency: 'EUR' },
    { user: 'u2', source: 'spring', value: 5.5, currency: 'EUR' },
  ])
  expect(await sums(name)).toEqual([['spring', '25.5 EUR']])
})
