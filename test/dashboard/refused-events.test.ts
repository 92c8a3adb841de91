import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'

/** Why events were not stored, on the page of the project and where the first event is waited for. */

const drawings = useDrawings()

const refused = [
  {
    ...{ reason: 'origin', events: 1_234, last: 'https://www.shop.example', hours: [] },
    last_at: new Date(Date.now() - 3_600_000).toISOString(),
    fix: 'If pages of it are yours, add https://www.shop.example to allowed_origins: https://shop.example',
  },
]

/** The record of the project as the service gives it, with other fields. */
const recordWith = (changes: (record: { refused: object }) => object) => ({
  answer: ({ pathname }: URL, ask: () => Promise<Response>) =>
    pathname === '/projects/demo'
      ? ask().then(async response => {
          const record = await response.json()
          return Response.json({ ...record, ...changes(record) })
        })
      : undefined,
})

test('the settings say what was refused, how often, and what to change', async () => {
  const page = await drawings.draw(
    '/app/p/demo/settings',
    recordWith(record => ({
      allowed_origins: 'https://shop.example',
      refused: { ...record.refused, events: refused },
    })),
  )
  const panel = page.region('Events that were not stored')
  expect(panel).toContain('Origin is not allowed')
  expect(panel).toMatch(/1.234 in seven days/)
  expect(panel).toContain('add https://www.shop.example to allowed_origins')
  expect(panel).toContain('Allow https://www.shop.example')
})

test('an origin that is allowed by now has no button', async () => {
  const page = await drawings.draw(
    '/app/p/demo/settings',
    recordWith(record => ({
      allowed_origins: 'https://shop.example,https://www.shop.example',
      refused: { ...record.refused, events: refused },
    })),
  )
  expect(page.region('Events that were not stored')).not.toContain('Allow https')
})

test('the settings of a project without refusals have no such panel', async () => {
  const page = await drawings.draw(
    '/app/p/demo/settings',
    recordWith(record => ({ refused: { ...record.refused, events: [] } })),
  )
  expect(page.text()).not.toContain('Events that were not stored')
})
