import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Lake } from '#core/ports'
import type { StatementEngine } from '#test/support/athena-emulator'
import { duckdbForAthena } from '#test/support/duckdb-for-athena'

/**
 * Runs statements in DuckDB over the lake of an S3 bucket with the address `location`. Before each statement,
 * updates a copy of the lake in `folder`.
 */
export async function duckdbForS3(lake: Lake, folder: string, location: string): Promise<StatementEngine> {
  await mkdir(folder, { recursive: true })
  const engine = await duckdbForAthena(folder, location)
  const copiedSizes = new Map<string, number>()
  let lastCopy = Promise.resolve()

  async function updateCopy(): Promise<void> {
    const objects = await lake.list('')
    for (const { key, size } of objects) {
      // Only a repair changes an object under the same key, and then its size changes too.
      if (copiedSizes.get(key) === size) continue
      const path = join(folder, key)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, (await lake.get(key)) ?? new Uint8Array())
      copiedSizes.set(key, size)
    }
    const keys = new Set(objects.map(({ key }) => key))
    for (const key of copiedSizes.keys()) {
      if (keys.has(key)) continue
      await rm(join(folder, key))
      copiedSizes.delete(key)
    }
  }

  return {
    async run(sql, signal, ...rest) {
      // Updates run one after the other, because a report sends several statements at once.
      lastCopy = lastCopy.catch(() => {}).then(updateCopy)
      await lastCopy
      return engine.run(sql, signal, ...rest)
    },
    close: engine.close,
  }
}
