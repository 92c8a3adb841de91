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
  let builds = 0
  return {
    lakeDir,
    lake,
    engine,
    /** Replaces the content of the lake. No key of a hot file ever gets another content. */
    async build(content: Omit<LakeContent, 'lake' | 'tempDir' | 'shard'>) {
      await lake.delete((await lake.list('hot/')).map(({ key }) => key))
      builds += 1
      return buildLake({ ...content, lake, tempDir: join(dir, 'temp'), shard: String(builds - 1) })
    },
    async close(): Promise<void> {
      await engine.close()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

export type FolderLake = Awaited<ReturnType<typeof openFolderLake>>
