import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Lake } from '#core/ports'
import type { StatementEngine } from './athena-emulator.ts'
import { duckdbForAthena } from './duckdb-for-athena.ts'

/** DuckDB over a bucket's lake, for the front of Athena: a copy in `folder` is brought up to date before each statement. */
export async function duckdbForS3(lake: Lake, folder: string): Promise<StatementEngine> {
  await mkdir(folder, { recursive: true })
  const engine = await duckdbForAthena(folder)
  const copied = new Map<string, number>()
  let last = Promise.resolve()

  async function copy(): Promise<void> {
    const objects = await lake.list('')
    for (const { key, size } of objects) {
      // What is written again under its key is the same, except where a repair makes it whole.
      if (copied.get(key) === size) continue
      const path = join(folder, key)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, (await lake.get(key)) ?? new Uint8Array())
      copied.set(key, size)
    }
    const there = new Set(objects.map(({ key }) => key))
    for (const key of copied.keys()) {
      if (there.has(key)) continue
      await rm(join(folder, key))
      copied.delete(key)
    }
  }

  return {
    async run(sql, signal, ...rest) {
      // One after the other: statements of one report come together.
      last = last.catch(() => {}).then(copy)
      await last
      return engine.run(sql, signal, ...rest)
    },
    close: engine.close,
  }
}
