import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOutboundClient } from '#core/outbound/outbound-client'
import type { Rendering } from '#core/scans/scan'
import { createSiteVisitor } from '#core/scans/visit-site'
import { createChromiumFinder } from '#local/scans/find-chromium'
import { findFence } from '#local/scans/find-fence'
import { createRenderer } from '#providers/chromium/create-renderer'
import { groupMemory } from '#providers/chromium/group-memory'
import { createNetwork } from '#providers/network'
import { systemClock } from '#providers/system-clock'
import { advise } from '#scanner/advise/advise'
import { openSiteReader } from '#scanner/read/open-site-reader'

/** The process of `npm run bench -- scan` that visits sites, one after the other. */

export type VisitOrder = { url: string; depth: 'preview' | 'full' }
export type VisitMeasures = {
  outcome: Rendering | 'failed'
  pages: number
  ms: number
  cpuMs: number
  /** Largest memory of this process so far, and of the browser in this visit, bytes. */
  rss: number
  browser: number
}

const folder = await mkdtemp(join(tmpdir(), 'footfall-bench-scan-'))
const tempDir = join(folder, 'rendering')
const findChromium = createChromiumFinder(folder, undefined)
// It is unpacked once on a machine, so no visit is measured with that.
await findChromium()
const client = createOutboundClient({
  network: { ...createNetwork(), addresses: async () => ['127.0.0.1'] },
  policy: { isAllowedAddress: () => true, isAllowedPort: () => true },
  userAgent: 'FootfallScan/1.0 (+http://localhost/)',
  clock: systemClock,
})
const { fence } = await findFence(folder, undefined)
const renderer = createRenderer({ client, findChromium, fence, tempDir })
const visitor = createSiteVisitor({ client, renderer, openReader: openSiteReader, clock: systemClock })

process.on('message', async ({ url, depth }: VisitOrder) => {
  let browser = 0
  const watch = setInterval(async () => {
    browser = Math.max(browser, await groupMemory(browserGroup()))
  }, 100)
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()]
  const visited = await visitor.visit({ url, addresses: [url], depth, isAnonymous: false })
  if ('findings' in visited) advise(visited.findings, { mode: depth })
  const { user, system } = process.cpuUsage(cpu)
  clearInterval(watch)
  process.send?.({
    outcome: 'failure' in visited ? 'failed' : visited.coverage.rendering,
    pages: 'failure' in visited ? 0 : visited.coverage.pages.length,
    ms: performance.now() - startedAt,
    cpuMs: (user + system) / 1_000,
    rss: process.resourceUsage().maxRSS * 1_024,
    browser,
  } satisfies VisitMeasures)
})
process.on('SIGTERM', async () => {
  await rm(folder, { recursive: true, force: true })
  process.exit()
})

/**
 * The first process that has the folder of a browser of ours in its command line is the leader of its group.
 */
function browserGroup(): number | undefined {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.map(Number).find(pid => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`--user-data-dir=${tempDir}`)
    } catch {
      return false
    }
  })
}
