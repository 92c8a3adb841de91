import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { cells, useDashboard } from './dashboard.ts'

/** The view of bots: kinds by keyboard, and its file. */

const dashboard = useDashboard()

type Bots = {
  actors: {
    actor: string
    category: string
    purpose: string | null
    requests: number
    dropped_events: number
  }[]
}

const read = (period: string) =>
  dashboard.get<Bots>(`/bot-traffic?project=demo&period=${period}&limit=50&tz=Europe/Berlin`)

test('by keyboard alone: a kind chooses its senders, and all of them come back', async () => {
  const page = await dashboard.visit('/app/p/demo/bots?range=30d')
  const senders = async () => (await cells(page, 'Senders by requests')).length
  const all = await senders()
  await page.getByRole('table', { name: 'Kinds by requests' }).getByRole('link').first().focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/kind=/)
  await expect.poll(senders).toBeLessThan(all)
  await page.getByRole('link', { name: 'All senders' }).focus()
  await page.keyboard.press('Enter')
  await expect.poll(senders).toBe(all)
})

test('the senders have one CSV file, which says more than the list', async () => {
  const page = await dashboard.visit('/app/p/demo/bots?range=14d')
  const panel = page.getByRole('region', { name: 'Senders', exact: true })
  const buttons = panel.getByRole('button', { name: /CSV/ })
  expect(await buttons.count()).toBe(1)
  const [download] = await Promise.all([page.waitForEvent('download'), buttons.click()])
  const [head, ...rows] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expect(head).toBe('sender,kind,purpose,requests,events_not_stored,last_seen_at')
  const { actors } = await read('14d')
  expect(rows.map(row => row.split(',').slice(0, 5))).toEqual(
    actors.map(({ actor, category, purpose, requests, dropped_events }) => [
      ...[actor, category, purpose ?? '', String(requests), String(dropped_events)],
    ]),
  )
  expect(rows[0]).toMatch(/,\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
})
