import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { ACCOUNT, openScanThreads } from '#test/local/scans/open-scan-threads'
import { SITE } from '#test/support/test-scans'
import { linkBrowser } from './link-browser.ts'

const cleanups: (() => Promise<unknown>)[] = []
const { serve, open } = openScanThreads(cleanups)
afterEach(async () => {
  for (const close of cleanups.splice(0).reverse()) await close()
})

test('a page that needs its scripts is rendered beside the thread, and nothing of the browser stays', async () => {
  const shell = `<title>App</title><div id="root"></div><script>root.innerHTML = ${JSON.stringify(SITE).replaceAll('</', '<\\/')}</script>`
  const url = await serve((response, path) =>
    path === '/' ? response.setHeader('Content-Type', 'text/html').end(shell) : response.writeHead(404).end(),
  )
  const { start, logged, folder } = await open()
  await linkBrowser(folder)
  const { preview } = await start().scans.start({ url, isFull: false }, ACCOUNT)
  expect(preview?.coverage).toEqual({
    pages: [{ url, status: 200, rendered: true }],
    not_reached: [],
    rendering: 'used',
  })
  expect(preview?.result.minimum_viable_instrumentation[0]?.event).toBe('trial_started')
  expect(await readdir(join(folder, 'rendering'))).toEqual([])
  expect(logged).toEqual([])
})
