import { describe, expect, test } from 'vitest'
import { byAddress } from '#aws/file-condition'

describe('a condition on files', () => {
  const hotKeys = (count: number) =>
    Array.from({ length: count }, (_, i) => `hot/epoch=3/0-${i}-${i}.parquet`)
  const condition = (files: string[]) => byAddress(files, 's3://lake')

  test('compares the path of a row with the addresses of the files', () => {
    expect(condition(["hot/epoch=3/it's-1-2.parquet", 'hot/epoch=4/0-3-4.parquet'])).toBe(
      `"$path" IN ('s3://lake/hot/epoch=3/it''s-1-2.parquet', 's3://lake/hot/epoch=4/0-3-4.parquet')`,
    )
  })

  test('is false without files', () => {
    expect(condition([])).toBe('false')
  })

  test('is true for more than 1,000 hot files, because the epochs of the statement choose them', () => {
    expect(condition(hotKeys(1_001))).toBe('true')
    expect(condition(hotKeys(1_000))).toContain('hot/epoch=3/0-999-999.parquet')
  })

  test('names every file of segments, because other segments have the same rows', () => {
    const keys = Array.from({ length: 1_001 }, (_, i) => `segments/events/bucket=7/1-9-0-${i}.parquet`)
    expect(condition(keys)).toContain('1-9-0-1000.parquet')
  })
})
