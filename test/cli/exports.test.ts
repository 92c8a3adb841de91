import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder } from '#test/support/service-process'
import type { Runner } from './built-cli.ts'
import { type DemoService, demoService } from './demo-service.ts'
import { signIn } from './sign-in.ts'
import { createRunner } from './world.ts'

/** `footfall exports`: files of Parquet that the service makes. */

let service: DemoService
let run: Runner
beforeAll(async () => {
  service = await demoService()
  run = createRunner({ AA_BASE_URL: service.baseUrl, AA_CONFIG_DIR: newFolder(), DATA_DIR: service.dataDir })
  await signIn(run, service)
})
afterAll(cleanUp)

test('an export is made, shown, downloaded once, and deleted', async () => {
  const made = JSON.parse((await run(['exports', 'create', 'demo', '--since', '3d', '--json'])).stdout)
  const early = await run(['exports', 'download', 'exp_0123456789abcdef01234567', '--into', newFolder()])
  expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('no export')])
  await eventually(async () => {
    const { stdout } = await run(['exports', 'get', made.id])
    expect(stdout).toMatch(/Status +done/)
    expect(stdout).toContain('people-0001.parquet')
  })
  expect((await run(['exports', 'list', 'demo'])).stdout).toContain(made.id)
  const folder = join(newFolder(), 'parquet')
  const download = () => run(['exports', 'download', made.id, '--into', folder])
  expect(await download()).toMatchObject({ code: 0, stdout: expect.stringContaining(folder) })
  const names = ['context.json', 'events-0001.parquet', 'people-0001.parquet', 'sessions-0001.parquet']
  names.push('views.json')
  expect(readdirSync(folder).toSorted()).toEqual(names)

  const { events } = JSON.parse((await run(['exports', 'get', made.id, '--json'])).stdout)
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(
    `SELECT CAST(count(*) AS INTEGER) AS events FROM '${join(folder, 'events-*.parquet')}'`,
  )
  expect(read.getRowObjectsJS()).toEqual([{ events }])
  connection.closeSync()
  instance.closeSync()

  const inode = (name: string) => statSync(join(folder, name)).ino
  const before = inode('events-0001.parquet')
  writeFileSync(join(folder, 'people-0001.parquet'), 'cut off')
  expect((await download()).code).toBe(0)
  // The file that was whole is the same; the other one is whole again.
  expect(inode('events-0001.parquet')).toBe(before)
  expect(statSync(join(folder, 'people-0001.parquet')).size).toBeGreaterThan(100)

  expect((await run(['exports', 'delete', made.id, '--confirm'])).code).toBe(0)
  const gone = await run(['exports', 'get', made.id])
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('no export')])
})
