import { beforeAll, describe, expect, test } from 'vitest'
import { type ViewRow, views } from '#dashboard/views'
import { useDrawings } from './drawn-view.ts'
import { makeHostileProject, OWN_HOSTILE } from './hostile-project.ts'
import { pathOfView } from './path-of-view.ts'
import { HOSTILE } from './reader.ts'

/** What holds for the markup of every row of the table of views, also of the next one. */

const drawings = useDrawings()
let hostile: string
beforeAll(async () => {
  hostile = await makeHostileProject(drawings)
})

describe.each(views.map(row => [row.name, row] as const))('the view %s', (_, row) => {
  test('is drawn, with its title, and without a problem', async () => {
    const page = await drawings.draw(pathOfView(row, 'demo'))
    expect(page.text('h1')).toBe(row.title)
    expect(page.text().length).toBeGreaterThan(20)
    expect(page.texts('.note.problem')).toEqual([])
    expect(page.all('main [aria-busy="true"]')).toEqual([])
  })

  test('shows hostile text as text, wherever it comes from', async () => {
    for (const query of ['range=1d', OWN_HOSTILE]) {
      const page = await drawings.draw(`${pathOfView(row, hostile)}?${query}`)
      expect(page.foreignMarkup(), query).toEqual([])
    }
  })
})

test('no two views have the same name or key', () => {
  for (const values of [views.map(({ name }) => name), views.flatMap(({ key = [] }) => key)])
    expect(values.toSorted()).toEqual([...new Set(values)].toSorted())
})

test.each(['overview', 'pages', 'sources', 'events', 'people'])(
  'the view %s of a project whose every text is hostile shows that text',
  async name => {
    const row = views.find(each => each.name === name) as ViewRow
    const page = await drawings.draw(`${pathOfView(row, hostile)}?range=1d`)
    expect(page.text()).toContain(HOSTILE)
  },
)
