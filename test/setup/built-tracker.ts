import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildTracker, type Tracker } from '#tracker/build'
import { onceARun } from './once-a-run.ts'

/** Returns the tracker. It is built once for all test files of a run. */
export async function builtTracker(): Promise<Tracker> {
  const folder = await onceARun('tracker', async target => {
    await writeFile(join(target, 'tracker.json'), JSON.stringify(await buildTracker()))
  })
  return JSON.parse(await readFile(join(folder, 'tracker.json'), 'utf8'))
}
