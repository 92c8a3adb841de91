import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFolderLake } from '#local/lake/folder'
import { openTestEngine } from '#test/support/test-engine'
import { buildLake, type LakeContent } from './build-lake.ts'

/**
 * Opens an empty lake in a folder of its own, and an engine that reads it. `build` fills it. `close` deletes
 * the folder.
 */
export async function openFolderLake() {
  const dir = await mkdtemp(join(tmpdir(), 'footfall-lake-'))
  const lakeDir = join(dir, 'lake')
  const lake = createFolderLake(lakeDir)
  const engine = await openTestEngine({ lakeDir })
  return {
    lakeDir,
    lake,
    engine,
    build: (content: Omit<LakeContent, 'lake' | 'tempDir'>) =>
      buildLake({ ...content, lake, tempDir: join(dir, 'temp') }),
    async close(): Promise<void> {
      await engine.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type FolderLake = Awaited<ReturnType<typeof openFolderLake>>
