import { appendFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { lakeDir } from '#local/data-folder'
import { createFolderLake } from '#local/lake/folder'
import { lockFolder } from '#local/lock'
import { openSource } from '#local/promote/source'
import { assertNotPromoted, promotionDir, promotionNotePath } from '#local/promotion-note'
import { systemClock } from '#providers/system-clock'
import { cleanUp, newFolder } from '#test/support/service-process'

/** A data folder as the source of a promotion. */

let dataDir: string
beforeEach(() => {
  dataDir = join(newFolder(), 'data')
  cpSync(resolve(import.meta.dirname, '../../fixtures/editions/1/data'), dataDir, { recursive: true })
})
afterAll(cleanUp)

const open = (target = 'table a') =>
  openSource({ dataDir, target, compactionMemoryMb: 256, clock: systemClock, log: () => {} })

test('without its service the folder is settled: the lake has all records of the log, and no service starts', async () => {
  const source = open()
  const { first, last } = await source.epochs()
  expect(first).toBeGreaterThan(0)
  expect(last).toBeGreaterThanOrEqual(first)
  const opened = await source.open()
  expect(opened.isSettled).toBe(true)
  expect(() => lockFolder(dataDir)).toThrow('Another Footfall service uses')
  await opened.close()
  lockFolder(dataDir).release()
  source.close()
})

test('beside its service the folder is read as it is now', async () => {
  const service = lockFolder(dataDir)
  const source = open()
  const opened = await source.open()
  expect(opened.isSettled).toBe(false)
  const { Items = [] } = await opened.state.client.scan({ TableName: opened.state.table })
  expect(Items.length).toBeGreaterThan(5)
  await opened.close()
  source.close()
  service.release()
})

test('what was copied is known to the next run, and an object that is written anew is another one', async () => {
  const source = open()
  const [one, two] = await source.objects.list()
  const [first, second] = [one ?? expect.unreachable(), two ?? expect.unreachable()]
  source.copied.note(first)
  source.copied.note(second)
  source.close()
  // A run was killed while it noted a third one.
  appendFileSync(join(promotionDir(dataDir), 'objects.jsonl'), '["hot/epo')
  const again = open()
  expect([again.id, again.copied.has(first), again.copied.has(second)]).toEqual([source.id, true, true])
  const lake = createFolderLake(lakeDir(dataDir))
  await lake.put(first.key, (await lake.get(first.key)) ?? expect.unreachable())
  const rewritten = (await again.objects.list()).find(({ key }) => key === first.key) ?? expect.unreachable()
  expect([rewritten.size, again.copied.has(rewritten)]).toEqual([first.size, false])
  again.copied.note(rewritten)
  again.close()
  const last = open()
  expect([last.copied.has(rewritten), last.copied.has(second)]).toEqual([true, true])
  last.close()
})

test('a retired folder starts no service, and says where its data is', () => {
  const source = open()
  expect(() => assertNotPromoted(dataDir)).not.toThrow()
  source.retire()
  source.close()
  expect(() => assertNotPromoted(dataDir)).toThrow(/was promoted to AWS \(table a\), which serves its sites/)
  const again = open()
  expect(again.id).toBe(source.id)
  again.close()
})

test('another target, a second run at the same time and a folder without data are refused', () => {
  const source = open()
  expect(() => open()).toThrow('Another process promotes')
  source.close()
  expect(() => open('table b')).toThrow('is promoted to table a, not to table b')
  writeFileSync(promotionNotePath(dataDir), '{')
  expect(() => open()).toThrow('is damaged')
  const empty = newFolder()
  dataDir = empty
  expect(() => open()).toThrow('is no data folder of Footfall')
  expect(existsSync(promotionDir(empty))).toBe(false)
})

test('the notes hold keys of objects and ids alone, for the owner of the folder', () => {
  const source = open()
  source.close()
  expect(Object.keys(JSON.parse(readFileSync(promotionNotePath(dataDir), 'utf8'))).toSorted()).toEqual([
    'id',
    'is_retired',
    'target',
  ])
})
