import { expect, test } from 'vitest'
import type { Drawn } from './drawn.ts'
import { useDrawings } from './drawn-view.ts'

/**
 * Whose days a view counts: those of its address, else of its project, else of the reader, who is in Berlin.
 */

const drawings = useDrawings()

/** 14 hours ahead of UTC, and 13 ahead of the reader. */
const ZONE = 'Pacific/Kiritimati'
const TOOLBAR = 'section[aria-label="Range and filters"]'

async function newProject(timezone?: string): Promise<string> {
  const name = `zone-${Math.random().toString(36).slice(2)}`
  await drawings.post('/projects', { name, timezone }, 201)
  return name
}

/** The zones of the reports that a page has asked for, in their order. */
const zones = ({ asked }: Drawn) =>
  asked.filter(({ url }) => url.pathname === '/heatmap').map(({ url }) => url.searchParams.get('tz'))
const chosenZone = (page: Drawn) => page.texts(`${TOOLBAR} option[selected]`).find(text => text.includes('/'))

test('without a zone of the project the zone of the reader holds, also for all sites', async () => {
  const page = await drawings.draw(`/app/p/${await newProject()}/heatmap`)
  expect([zones(page), chosenZone(page)]).toEqual([['Europe/Berlin'], 'Europe/Berlin'])
  await newProject(ZONE)
  expect(chosenZone(await drawings.draw('/app'))).toBe('Europe/Berlin')
})

test('the zone of the project holds, and one of the address before it', async () => {
  const name = await newProject(ZONE)
  const page = await drawings.draw(`/app/p/${name}/heatmap`)
  expect([zones(page).at(-1), chosenZone(page)]).toEqual([ZONE, `${ZONE} (project)`])
  const named = await drawings.draw(`/app/p/${name}/heatmap?tz=Asia/Tokyo`)
  expect([zones(named), chosenZone(named)]).toEqual([['Asia/Tokyo'], 'Asia/Tokyo'])
})

test('a remembered zone is asked for at once, and one that no browser knows is as good as none', async () => {
  const name = await newProject(ZONE)
  const remembering = (zone: string) => ({
    remembered: { 'footfall-zones': JSON.stringify([['proj_1', name, zone]]) },
  })
  expect(zones(await drawings.draw(`/app/p/${name}/heatmap`, remembering(ZONE)))).toEqual([ZONE])
  const other = await drawings.draw(`/app/p/${name}/heatmap`, remembering('Mars/Base'))
  expect(zones(other)).toEqual(['Europe/Berlin', ZONE])
})
