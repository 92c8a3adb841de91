import { afterEach, expect, test } from 'vitest'
import { createRescans } from '#core/scans/rescans'
import { createScanWorker } from '#core/scans/scan-worker'
import { DAY_MS } from '#core/time'
import { FREE, openScans } from './open-scans.ts'

const closes: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) await close()
})

/** Analyses whose sites answer `page()`, with the list of monthly re-scans. */
async function open(page: () => string | { status: number }) {
  const answer = (url: string) => (url.endsWith('.txt') || url.endsWith('.xml') ? null : page())
  const scans = await openScans({ answer, isHeld: true, waitMs: 0 })
  closes.push(scans.close)
  let deleted_at: string | null = null
  const project = () => ({ id: 'proj_1', account_id: FREE.id, allowed_origins: '*', deleted_at }) as never
  const rescans = createRescans({ ...scans.services, projects: { byId: async () => project() } })
  const worker = createScanWorker({ ...scans.workerServices, onFull: rescans.plan })
  async function runJobs() {
    for (const job of scans.jobs.splice(0)) await worker.run(job)
  }
  const { scan } = await scans.desk.start(
    { url: 'https://example.com/', isFull: true, project: project() },
    FREE as never,
  )
  await runJobs()
  return {
    ...scans,
    id: scan.id,
    /** A month later: begins what is due, and runs it. Returns how many began. */
    async month() {
      scans.wait(30 * DAY_MS)
      await rescans.tick({ send: async job => void scans.jobs.push(job) })
      const begun = scans.jobs.length
      await runJobs()
      return begun
    },
    deleteProject() {
      deleted_at = '2026-12-01T00:00:00Z'
    },
  }
}

test('the analysis of a project is made again each month, and says what has changed', async () => {
  let page = '<h1>Before</h1>'
  const { desk, id, month } = await open(() => page)
  expect((await desk.read(id, FREE)).full?.changes).toBeUndefined()
  expect(await month()).toBe(1)
  expect((await desk.read(id, FREE)).full?.changes).toBeUndefined()
  page = '<h1>After</h1>'
  expect(await month()).toBe(1)
  const { scan, full } = await desk.read(id, FREE)
  expect(scan.status).toBe('succeeded')
  expect(full?.changes).toHaveLength(1)
  expect(full?.changes?.[0]?.site[0]).toContain('After')
  expect(await month()).toBe(1)
  // What was noted stays.
  expect((await desk.read(id, FREE)).full?.changes).toHaveLength(1)
})

test('a site that is down keeps its result, says so, and is read again a month later', async () => {
  let page: string | { status: number } = '<h1>Up</h1>'
  const { desk, id, month } = await open(() => page)
  const before = (await desk.read(id, FREE)).full?.result
  page = { status: 500 }
  expect(await month()).toBe(1)
  const { scan, full } = await desk.read(id, FREE)
  expect([scan.status, full?.result]).toEqual(['succeeded', before])
  expect(full?.changes?.[0]?.site[0]).toContain('status 500')
  page = '<h1>Up</h1>'
  expect(await month()).toBe(1)
})

test('the analysis of a deleted project is not made again', async () => {
  const { month, deleteProject } = await open(() => '<h1>x</h1>')
  deleteProject()
  expect(await month()).toBe(0)
  expect(await month()).toBe(0)
})
