import { beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useDrawings } from './drawn-view.ts'
import { HOSTILE } from './reader.ts'

/**
 * The view of revenue, for payments whose truth is known: one currency at a time, none ever added to another.
 */

const drawings = useDrawings()

type Payment = { user: string; source: string; product?: string; value?: number; currency?: string }

const PAYMENTS: Payment[] = [
  { user: 'u1', source: 'spring', product: 'mug', value: 20, currency: 'EUR' },
  { user: 'u2', source: 'spring', product: 'shirt', value: 30.5, currency: 'eur' },
  { user: 'u3', source: 'autumn', product: 'mug', value: 10, currency: 'EUR' },
  { user: 'u4', source: 'autumn', product: 'mug', value: 1000, currency: 'JPY' },
  { user: 'u5', source: 'winter', product: 'shirt', value: 7 },
  { user: 'u6', source: 'winter', product: 'free', currency: 'EUR' },
]

let name: string
beforeAll(async () => {
  name = await projectWith(PAYMENTS)
})

async function projectWith(payments: readonly Payment[], event = 'purchase'): Promise<string> {
  const name = `revenue-${Math.random().toString(36).slice(2)}`
  const { project_token: token } = await drawings.post<{ project_token: string }>('/projects', { name }, 201)
  const events = payments.flatMap(({ user, source, ...properties }) => {
    const ids = { user_id: user, session_id: user }
    return [
      { event: 'page_view', ...ids, properties: { path: '/', utm_source: source } },
      { event, ...ids, properties },
    ]
  })
  await drawings.post('/track/batch', { token, events }, 202)
  await eventually(async () => {
    const stats = await drawings.get<{ totals: { total_events: number } }>(`/stats?project=${name}&since=0d`)
    expect(stats.totals.total_events).toBe(events.length)
  })
  return name
}

test('the currency of the most payments is shown first, and each of its lists adds up to the truth', async () => {
  const page = await drawings.draw(`/app/p/${name}/revenue?range=7d`)
  expect(page.tile('revenue')).toBe('60.5 EUR')
  expect(page.cells('Revenue by source').map(row => row.slice(0, 3))).toEqual([
    ['spring', '50.5 EUR', '2'],
    ['autumn', '10 EUR', '2'],
    ['winter', '0 EUR', '2'],
  ])
  expect(page.cells('Revenue by product').map(row => row.slice(0, 2))).toEqual([
    ['shirt', '30.5 EUR'],
    ['mug', '30 EUR'],
  ])
  const days = page.cells('Revenue by day')
  expect([days.length, days.at(-1)?.[1]]).toEqual([7, '60.5'])
})

test('another currency, and payments without one, are a click away and stand alone', async () => {
  const page = await drawings.draw(`/app/p/${name}/revenue?range=7d`)
  const yen = await drawings.draw(page.linkOf('JPY'))
  expect(yen.tile('revenue')).toBe('1,000 JPY')
  expect([yen.tile('paid_events'), yen.tile('average_value')]).toEqual(['1', '1,000 JPY'])
  expect(yen.cells('Revenue by product').map(row => row.slice(0, 2))).toEqual([['mug', '1,000 JPY']])
  const none = await drawings.draw(page.linkOf('No currency'))
  expect(none.tile('revenue')).toBe('7')
  expect(none.cells('Revenue by source').map(row => row.slice(0, 2))).toContainEqual(['winter', '7'])
})

test('a filter holds for every sum, and another tab tells them apart by channel', async () => {
  const page = await drawings.draw(`/app/p/${name}/revenue?range=7d&by=channel&f=properties.product:eq:mug`)
  expect(page.tile('revenue')).toBe('30 EUR')
  expect(page.cells('Revenue by product').map(row => row[0])).toEqual(['mug'])
  expect(page.cells('Revenue by channel').map(row => row[1])).toEqual(['30 EUR'])
})

test('without a payment the view says what to send, and another event that carries money can be chosen', async () => {
  const own = await projectWith([{ user: 'u1', source: 's', value: 5, currency: 'USD' }], 'order_paid')
  const page = await drawings.draw(`/app/p/${own}/revenue?range=7d`)
  expect(page.text('main')).toContain('with a value in these dates')
  const chosen = await drawings.draw(`/app/p/${own}/revenue?range=7d&event=order_paid`)
  expect(chosen.tile('revenue')).toBe('5 USD')
})

test('hostile names of currencies and products stay text', async () => {
  const own = await projectWith([
    { user: 'u1', source: HOSTILE, product: HOSTILE, value: 5, currency: HOSTILE },
  ])
  const page = await drawings.draw(`/app/p/${own}/revenue?range=7d`)
  expect(page.tile('revenue')).toContain('5')
  expect(page.foreignMarkup()).toEqual([])
})
