import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'
import { count } from './reader.ts'

/** Hours by weekdays in the chosen zone. */

const drawings = useDrawings()

type Cell = { day: number; hour: number; events: number; users: number }
type Heatmap = { heatmap: Cell[]; peak: Cell; busiest_day: string; busiest_hour: number }

test.each([
  ['events', '', 'Events'],
  ['users', '&of=users', 'Visitors'],
] as const)('the grid has the %s of the API, from Monday to Sunday', async (measure, query, title) => {
  const page = await drawings.draw(`/app/p/demo/heatmap?range=14d${query}`)
  const { heatmap } = await drawings.get<Heatmap>('/heatmap?project=demo&since=13d&tz=Europe/Berlin')
  const at = (day: number, hour: number) => heatmap.find(each => each.day === day && each.hour === hour)
  const shown = page.cells(`${title} by weekday and hour`).filter(row => row.length === 25)
  expect(shown.map(([name]) => name)).toEqual([
    ...['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  ])
  expect(shown.map(row => row.slice(1))).toEqual(
    [1, 2, 3, 4, 5, 6, 0].map(day =>
      Array.from({ length: 24 }, (_, hour) => count(at(day, hour)?.[measure] ?? 0)),
    ),
  )
})

test('the peak is that of the API, in the zone of the address', async () => {
  const page = await drawings.draw('/app/p/demo/heatmap?range=14d&tz=Asia/Tokyo')
  const { peak, busiest_hour } = await drawings.get<Heatmap>('/heatmap?project=demo&since=13d&tz=Asia/Tokyo')
  expect(page.tile('peak')).toBe(count(peak.events))
  const clock = (hour: number) => `${String(hour).padStart(2, '0')}:00`
  expect(page.text('[data-number="peak"] dt')).toContain(clock(peak.hour))
  expect(page.text('[data-number="hour"] dt')).toContain(clock(busiest_hour))
  expect(page.text()).toContain('hours of Asia/Tokyo')
})

test('an answer that a cap has cut says so at its picture', async () => {
  const page = await drawings.draw('/app/p/demo/heatmap', {
    answer: ({ pathname }, ask) =>
      pathname === '/heatmap'
        ? ask().then(async answer => {
            const headers = new Headers(answer.headers)
            const receipt = headers.get('X-Footfall-Receipt') ?? ''
            headers.set('X-Footfall-Receipt', receipt.replace('exact=true', 'exact=false'))
            return new Response(await answer.text(), { headers })
          })
        : undefined,
  })
  expect(page.all('button').map(({ attribs }) => attribs['aria-label'])).toContain(
    'Not complete: Events by weekday and hour',
  )
})

test('a project without events says so', async () => {
  const name = `heatmap-${Math.random().toString(36).slice(2)}`
  await drawings.post('/projects', { name }, 201)
  expect((await drawings.draw(`/app/p/${name}/heatmap`)).text()).toContain('No events in this range')
})
