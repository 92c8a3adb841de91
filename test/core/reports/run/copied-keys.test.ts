import { expect, test } from 'vitest'
import { readCopiedKeys } from '#core/reports/run/copied-keys'
import { EMPTY_SNAPSHOT } from '#test/support/fixed-lake'

const project = { id: 'proj_1', bucket: 7, created_at: '2026-06-01T00:00:00Z', has_event_ids: true }
const snapshot = { ...EMPTY_SNAPSHOT, hot: ['hot/epoch=1/0-1-1.parquet'] }

function rowsWithKeys(count: number) {
  return async () =>
    Array.from({ length: count }, (_, i) => ({
      copied_key: String(2n ** 62n + 2n * BigInt(i)),
      replaced: null,
    }))
}

async function failingRows(): Promise<never> {
  throw new Error('a statement ran')
}

test('the keys of copies are returned as text, because they have more bits than a number', async () => {
  expect(await readCopiedKeys(rowsWithKeys(2), { snapshot, project })).toEqual({
    copiedKeys: ['4611686018427387904', '4611686018427387906'],
    replaced: [],
  })
})

test('more than 300 keys are not named', async () => {
  const { copiedKeys } = await readCopiedKeys(rowsWithKeys(300), { snapshot, project })
  expect(copiedKeys).toHaveLength(300)
  expect(await readCopiedKeys(rowsWithKeys(301), { snapshot, project })).toEqual({
    copiedKeys: undefined,
    replaced: [],
  })
})

test('more than 20 replaced events are not named, and fewer are, also beside more keys', async () => {
  const replacedFirst = (count: number) => async () => [
    ...Array.from({ length: count }, (_, i) => ({ copied_key: String(2 * i), replaced: `id-${i} 5` })),
    ...(await rowsWithKeys(301 - count)()),
  ]
  const { replaced } = await readCopiedKeys(replacedFirst(20), { snapshot, project })
  expect(replaced).toHaveLength(20)
  expect(await readCopiedKeys(replacedFirst(21), { snapshot, project })).toEqual({
    copiedKeys: undefined,
    replaced: null,
  })
})

test('no statement looks for copies without event_ids or without hot files', async () => {
  const withoutIds = { ...project, has_event_ids: false }
  const none = { copiedKeys: [], replaced: [] }
  expect(await readCopiedKeys(failingRows, { snapshot, project: withoutIds })).toEqual(none)
  expect(await readCopiedKeys(failingRows, { snapshot: EMPTY_SNAPSHOT, project })).toEqual(none)
})
