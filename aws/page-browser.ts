import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { OutboundClient } from '#core/outbound/outbound-client'
import type { Renderer } from '#core/scans/render'
import { createRenderer } from '#providers/chromium/create-renderer'
import { unpackChromium } from '#providers/chromium/unpack-chromium'

/** Where the browser writes while it runs. The disk outlives a process that was killed. */
export const RENDERING_DIR = join(tmpdir(), 'rendering')

/**
 * The renderer of a function: the browser is packed in the folder of its bundle, and is unpacked to the disk
 * of the function once. The bundles of the package `footfall` have none.
 */
export function createPageBrowser(client: OutboundClient, bundle: string): Renderer {
  const packed = join(bundle, 'chromium')
  return createRenderer({
    client,
    findChromium: async () =>
      existsSync(packed) ? unpackChromium(packed, join(tmpdir(), 'chromium')) : null,
    tempDir: RENDERING_DIR,
    fence: 'function',
  })
}
