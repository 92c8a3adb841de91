import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Lake } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createCompactor } from '#duckdb/compactor'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { SOURCE_GROUPS } from '#schemas/sources'
import type { BuiltLake, LakeContent } from '#test/support/build-lake'
import { openFolderLake } from '#test/support/folder-lake'
import { NOW, openHttpService } from '#test/support/http-service'
import { withOldSegments } from '#test/support/old-segments'
import { recordOf } from '#test/support/record-of'

/**
 * Segments of a version that knew neither where sessions came from nor their page views, beside those of
 * today and hot files.
 */

const DAY = 86_400_000
const PAGES = [
  { referrer: 'https://www.google.de/search', path: '/a' },
  { utm_source: 'newsletter', utm_medium: 'email', utm_campaign: 'spring', path: '/b' },
  { referrer: 'https://blog.example.org/post', click_id: 'fbclid', path: '/a' },
  {},
]
const EPOCHS = [1, 2, 3, 4]

/** Each epoch begins a session of each source, and goes on with those of the epoch before. */
function epochsOf(project: Project): LakeContent['epochs'] {
  return EPOCHS.map(epoch => {
    const at = NOW - (EPOCHS.length + 1 - epoch) * DAY
    const events = PAGES.flatMap((properties, i) => {
      const ofSession = (start: number) => ({ session_id: `s${start}-${i}`, user_id: `u${(start + i) % 3}` })
      return [
        { ...ofSession(epoch), event: 'page_view', timestamp: at + i * 1_000, properties },
        {
          ...ofSession(epoch - 1),
          ...{ event: 'page_view', timestamp: at + i * 1_000 + 1, properties: PAGES[(i + 1) % PAGES.length] },
        },
        {
          ...{ ...ofSession(epoch - 1), user_id: 'other', event: 'purchase', timestamp: at + i * 1_000 + 2 },
          properties: { value: epoch * 10 + i, currency: 'EUR' },
        },
      ]
    })
    return [[recordOf(project, events)]]
  })
}

/**
 * What /sources and /stats answer about a lake in a state of compaction, and which of its segments know the
 * sources.
 */
async function answersOf(
  state: Pick<LakeContent, 'compacted' | 'mergeEnds'>,
  { isOld }: { isOld: boolean } = { isOld: false },
) {
  const folder = await openFolderLake()
  const create = (lake: Lake) =>
    createCompactor({
      lake,
      ...{ tempDir: join(folder.lakeDir, '../temp'), log: () => {}, threads: 1, minComparedEvents: 0 },
    })
  const compactor = isOld ? withOldSegments(folder.lake, create) : create(folder.lake)
  let built: BuiltLake | undefined
  const openLake = () => (built as BuiltLake).openLake()
  const service = await openHttpService({ reading: { engine: folder.engine, openLake } })
  try {
    const project = await service.createProject()
    built = await folder.build({ ...state, epochs: epochsOf(project), compactor })
    const ask = async (query: Record<string, string>, route: Route = routes.sources) => {
      const asked = { project: project.name, ...query }
      const { status, body } = await service.call(route, { query: asked })
      expect(status, JSON.stringify(body)).toBe(200)
      return { ...(body as object), project: null }
    }
    const bodies = []
    for (const by of SOURCE_GROUPS) bodies.push(await ask({ since: '7d', by, goal: 'purchase' }))
    bodies.push(await ask({ since: '2d', by: 'channel' }))
    bodies.push(await ask({ since: '7d', by: 'landing_page', filter: 'channel:eq:organic_search' }))
    for (const filter of ['event:eq:purchase', 'entry_page:eq:/a', 'country:exists'])
      bodies.push(await ask({ since: '2d', compare: 'previous', filter }, routes.stats))
    bodies.push(await ask({ since: '7d' }, routes.stats))
    const { segments } = await built.snapshot(project.bucket)
    return { bodies, known: segments.map(({ knowsSources }) => knowsSources) }
  } finally {
    await service.close()
    await folder.close()
  }
}

test('sessions have the same sources and page views from hot files, from segments of today, and from those that do not know them', async () => {
  const { bodies } = await answersOf({ compacted: 1 })
  expect(bodies[0]).toMatchObject({ total: { sessions: 20, conversions: 16, avg_pages: 1.6 } })
  expect(bodies.at(-1)).toMatchObject({ sessions: { total_sessions: 20, single_page_rate: 0.4 } })
  expect(await answersOf({ compacted: 4 })).toEqual({ bodies, known: [true, true, true] })
  const old = await answersOf({ compacted: 4 }, { isOld: true })
  expect(old).toEqual({ bodies, known: [false, true, false] })
  const merged = await answersOf({ compacted: 4, mergeEnds: [1, 4] }, { isOld: true })
  expect(merged).toEqual({ bodies, known: [true] })
})
