import { expect, test } from 'vitest'
import { readCopiedKeys } from '#core/reports/copied-keys'
import { EMPTY_SNAPSHOT } from '#test/support/fixed-lake'

const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: true }
const snapshot = { ...EMPTY_SNAPSHOT, hot: ['hot/epoch=1/0-1-1.parquet'] }

function rowsWithKeys(count: number) {
  return async () => Array.from({ length: count }, (_, i) => ({ copied_key: String(2n ** 62n + BigInt(i)) }))
}

async function failingRows(): Promise<never> {
  throw new Error('a statement ran')
}

test('the keys of copies are returned as text, because they have more bits than a number', async () => {
  expect(await readCopiedKeys(rowsWithKeys(2), { snapshot, project })).toEqual([
    '4611686018427387904',
    '4611686018427387905',
  ])
})

test('more than 400 keys are not named', async () => {
  expect(await readCopiedKeys(rowsWithKeys(400), { snapshot, project })).toHaveLength(400)
  expect(await readCopiedKeys(rowsWithKeys(401), { snapshot, project })).toBeUndefined()
})

test('no statement looks for copies without event_ids or without hot files', async () => {
  const withoutIds = { ...project, has_event_ids: false }
  expect(await readCopiedKeys(failingRows, { snapshot, project: withoutIds })).toEqual([])
  expect(await readCopiedKeys(failingRows, { snapshot: EMPTY_SNAPSHOT, project })).toEqual([])
})
