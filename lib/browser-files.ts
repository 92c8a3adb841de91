import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKED = fileURLToPath(new URL('../node_modules/@sparticuz/chromium/bin', import.meta.url))

/** Copies the packed browser, 70 MB, to where the bundle of a function looks for it. */
export async function copyBrowser(folder: string): Promise<void> {
  await cp(PACKED, join(folder, 'chromium'), { recursive: true })
}
