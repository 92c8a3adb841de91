import { afterEach, expect, test } from 'vitest'
import { createRescans } from '#core/scans/rescans'
import { RUN_MS } from '#core/scans/running-scans'
import type { Scan, ScanStatus } from '#core/scans/scan'
import { createScanWorker } from '#core/scans/scan-worker'
import { DAY_MS } from '#core/time'
import { FREE, openScans } from './test-scans.ts'

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
  const { scan } = await scans.scans.start(
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
  const { scans, id, month } = await open(() => page)
  expect((await scans.read(id, FREE)).full?.changes).toBeUndefined()
  expect(await month()).toBe(1)
  expect((await scans.read(id, FREE)).full?.changes).toBeUndefined()
  page = '<h1>After</h1>'
  expect(await month()).toBe(1)
  const { scan, full } = await scans.read(id, FREE)
  expect(scan.status).toBe('succeeded')
  expect(full?.changes).toHaveLength(1)
  expect(full?.changes?.[0]?.site[0]).toContain('After')
  expect(await month()).toBe(1)
  // What was noted stays.
  expect((await scans.read(id, FREE)).full?.changes).toHaveLength(1)
})

test('a site that is down keeps its result, says so, and is read again a month later', async () => {
  let page: string | { status: number } = '<h1>Up</h1>'
  const { scans, id, month } = await open(() => page)
  const before = (await scans.read(id, FREE)).full?.result
  page = { status: 500 }
  expect(await month()).toBe(1)
  const { scan, full } = await scans.read(id, FREE)
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

/**
 * Analyses of `count` projects that are due, in the order of their numbers; tick() returns which have begun.
 */
async function openDue(count: number, status: ScanStatus = 'succeeded') {
  const { close, services, store, running, wait } = await openScans({ answer: () => null, isHeld: true })
  closes.push(close)
  const byId = async (id: string) => ({ id, account_id: FREE.id, deleted_at: null }) as never
  const rescans = createRescans({ ...services, projects: { byId } })
  for (let number = 0; number < count; number++) {
    const scan = scanOf(number, status, services.clock.now())
    await store.put(scan)
    await rescans.plan(scan)
  }
  wait(30 * DAY_MS)
  return {
    ...{ store, running, wait },
    async tick() {
      const begun: number[] = []
      await rescans.tick({ send: async ({ id }) => void begun.push(Number(id.slice('scan_'.length))) })
      return begun
    },
  }
}

function scanOf(number: number, status: ScanStatus, started_at: number): Scan {
  const hostname = `site-${number}.example`
  const id = `scan_${String(number).padStart(24, '0')}`
  return {
    ...{ account_id: FREE.id, id, project_id: `proj_${number}`, mode: 'full', status, stage: 'fetching' },
    ...{ url: `https://${hostname}/`, addresses: [`https://${hostname}/`], hostname },
    ...{ attempts: 1, created_at: started_at, started_at },
  }
}

const KEY = { account_id: 'acc_other', mode: 'anonymous_preview' } as const

test('one tick begins four, in the order in which they are due, and the next one the others', async () => {
  const { tick } = await openDue(6)
  expect(await tick()).toEqual([0, 1, 2, 3])
  expect(await tick()).toEqual([4, 5])
})

test('analyses whose worker was killed for good begin again, and so do those after them', async () => {
  const { tick } = await openDue(6, 'running')
  expect(await tick()).toEqual([0, 1, 2, 3])
  expect(await tick()).toEqual([4, 5])
})

test('hosts that are being analysed now do not keep the others from beginning', async () => {
  const { tick, running, wait } = await openDue(30)
  for (let number = 0; number < 5; number++)
    await running.admit({ ...KEY, id: `scan_${number}`, hostname: `site-${number}.example` })
  expect(await tick()).toEqual([5, 6, 7])
  wait(RUN_MS.full)
  expect(await tick()).toEqual([0, 1, 2, 3])
})

test('due analyses keep their place while as many as possible run', async () => {
  const { tick, running, wait } = await openDue(2)
  for (let number = 0; number < 8; number++)
    await running.admit({ ...KEY, id: `scan_${number}`, hostname: `other-${number}.example` })
  expect(await tick()).toEqual([])
  wait(RUN_MS.preview)
  expect(await tick()).toEqual([0, 1])
})

test('a re-scan whose worker is killed for good is made again a month later', async () => {
  const { tick, running, store, wait } = await openDue(1)
  for (let month = 1; month <= 3; month++) {
    expect(await tick()).toEqual([0])
    const scan = await store.find(scanOf(0, 'pending', 0))
    await store.begin(scan as Scan, 'killed')
    // Another analysis takes the place of the one that is over before anything has begun it again.
    wait(RUN_MS.full)
    await running.admit({ ...KEY, id: `scan_other_${month}`, hostname: 'other.example' })
    expect(await tick()).toEqual([])
    wait(30 * DAY_MS)
  }
})

test('entries far behind those that cannot begin are reached', async () => {
  const { tick, running } = await openDue(60)
  for (let number = 0; number < 5; number++)
    await running.admit({ ...KEY, id: `scan_${number}`, hostname: `site-${number}.example` })
  const begun: number[] = []
  for (let ticks = 0; ticks < 19; ticks++) {
    begun.push(...(await tick()))
    for (const { id } of (await running.list()).slice(5)) await running.release({ id })
  }
  expect(begun).toEqual(Array.from({ length: 55 }, (_, i) => i + 5))
})
