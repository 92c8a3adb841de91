import { cp } from 'node:fs/promises'
import { onceARun } from '#test/setup/once-a-run'
import { newFolder, sharedFolder, startService } from './service-process.ts'

/**
 * Returns a new data folder with the traffic of the demo, for `startService({ dataDir })`. The traffic is
 * made once a run, because it takes longer than most tests on a busy machine. A service that is shared needs
 * a folder that is: `cleanUp` of another file would delete it.
 */
export async function demoFolder({ isShared = false } = {}): Promise<string> {
  const filled = await onceARun('demo-folder', async folder => {
    const service = await startService({ dataDir: folder, seed: true })
    await service.stop()
  })
  const copy = isShared ? sharedFolder() : newFolder()
  await cp(filled, copy, { recursive: true })
  return copy
}
