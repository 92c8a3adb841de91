import { runScanThread } from '#local/scans/run-scan-thread'
import { createNetwork } from '#providers/network'
import { openSiteReader } from '#scanner/read/open-site-reader'

/**
 * The thread of website analyses for tests, as in loopback-thread.ts. A page with the words `never ends`
 * blocks its reader for ever, without processor time. One with `ends everything` ends the thread, as a page
 * does that takes all memory.
 */
runScanThread({
  network: { ...createNetwork(), addresses: async () => ['127.0.0.1'] },
  policy: { isAllowedAddress: () => true, isAllowedPort: () => true },
  openReader(watch) {
    const read = openSiteReader(watch)
    return pages => {
      if (pages.some(({ html }) => html.includes('never ends')))
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
      if (pages.some(({ html }) => html.includes('ends everything'))) process.exit(1)
      return read(pages)
    }
  },
})
