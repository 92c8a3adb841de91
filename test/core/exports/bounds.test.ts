import { afterAll, expect, test } from 'vitest'
import { type Export, fileKey } from '#core/exports/export'
import { midnight } from '#core/time'
import { EXPORT_LIMITS } from '#schemas/exports'
import { openDynaliteState } from '#test/support/dynalite-state'
import { largestExport } from '#test/support/largest-export'
import { NOW } from '#test/support/random-history'
import { fakeWriter, oneEvent } from './fake-events.ts'
import { openEmpty } from './opened-exports.ts'

/**
 * Exports at their bounds, over a state that refuses items of more than 400 KB. All files but the last one
 * are there, and one event is left: so the sizes are real, while the bytes of the files are not.
 */

const state = await openDynaliteState()
afterAll(() => state.close())

const PROJECT = { account_id: 'acc_1', id: 'proj_a' }
const LARGEST = largestExport(PROJECT, NOW, 'events')
const [FIRST_FILE] = LARGEST.files
const DAYS = LARGEST.days ?? {}

/** Runs the last step of an export that has these files already. */
async function runLast(files: Export['files'], lastBytes: number) {
  const opened = await openEmpty({ state, engine: oneEvent(DAYS), writer: fakeWriter(DAYS, lastBytes) })
  const { id } = await opened.exports.start(opened.project, opened.account, { datasets: ['events'] })
  const queued = (await opened.store.find({ ...PROJECT, account_id: 'acc_1', id })) as Export
  const made = { ...queued, files, next: { day: midnight(NOW) }, counted: LARGEST.counted }
  await opened.store.put(made)
  for (const file of files) await opened.objects.put(fileKey(made, file), new Uint8Array(1))
  await opened.runAll()
  const ended = await opened.exports.read(id, opened.account)
  const stored = (await opened.objects.list('exports/')).length
  await opened.exports.remove(ended)
  await opened.close()
  return { ended, stored }
}

const ALL_BUT_ONE = LARGEST.files.slice(1)
const LAST_BYTES = FIRST_FILE?.bytes ?? 0

test('an export of 1,000 files, 4 GB and the days of fifty years is done', async () => {
  const { ended, stored } = await runLast(ALL_BUT_ONE, LAST_BYTES)
  expect([ended.reason, ended.status, ended.files.length, stored]).toEqual([undefined, 'done', 1_000, 1_000])
  expect(ended.files.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(EXPORT_LIMITS.bytes)
  expect(Object.keys(ended.days ?? {})).toHaveLength(EXPORT_LIMITS.days)
})

test.each([
  ['a byte more than 4 GB', 'more than 4 GB of Parquet', ALL_BUT_ONE, LAST_BYTES + 1],
  ['1,001 files', 'more than 1,000 files', LARGEST.files.map(file => ({ ...file, bytes: 1 })), 1],
])('an export of %s has failed, says what to do, and leaves no file', async (_, what, files, lastBytes) => {
  const { ended, stored } = await runLast(files, lastBytes)
  expect([ended.status, ended.files, stored]).toEqual(['failed', [], 0])
  expect(ended.reason).toBe(
    `The period has ${what}, and an export has at most 20000000 events, 1,000 files, 4 GB and fifty years. Export shorter periods with \`since\` and \`until\`.`,
  )
})
