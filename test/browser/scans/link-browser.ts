import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { unpackedChromium } from '#test/setup/unpack-chromium'

/** Gives a data folder the browser that was unpacked for this run before, because a copy is large. */
export async function linkBrowser(folder: string): Promise<void> {
  const { version, home } = await unpackedChromium()
  await mkdir(join(folder, 'browser'))
  await symlink(home, join(folder, 'browser', version))
}
