import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildViewer, type ViewerScripts } from '#replay/viewer/build'
import { onceARun } from './once-a-run.ts'

/** Returns the scripts of the viewer of replays. They are built once for all test files of a run. */
export async function builtViewer(): Promise<ViewerScripts> {
  const folder = await onceARun('viewer', async target => {
    await writeFile(join(target, 'viewer.json'), JSON.stringify(await buildViewer()))
  })
  return JSON.parse(await readFile(join(folder, 'viewer.json'), 'utf8'))
}
