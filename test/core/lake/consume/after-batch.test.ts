import { expect, test } from 'vitest'
import { createAfterBatch } from '#core/lake/consume/after-batch'
import { createLakePipeline } from '#test/support/lake-pipeline'

test('a failure to finish orphaned claims is logged, and set-aside records are looked for all the same', async () => {
  const pipeline = createLakePipeline()
  const searched: string[] = []
  const afterBatch = createAfterBatch({
    ...pipeline,
    state: { shards: () => Promise.reject(new Error('no table')) },
    lake: {
      ...pipeline.lake,
      async list(prefix: string) {
        searched.push(prefix)
        return []
      },
    },
  })
  await afterBatch()
  expect(pipeline.logged).toEqual(['JOB_FAILED'])
  expect(searched).toContain('waiting/')
})

test('a failure to look for set-aside records is logged and does not reject', async () => {
  const pipeline = createLakePipeline()
  const fails = () => Promise.reject(new Error('no S3 bucket'))
  const afterBatch = createAfterBatch({ ...pipeline, lake: { ...pipeline.lake, list: fails } })
  await expect(afterBatch()).resolves.toBeUndefined()
  expect(pipeline.logged).toEqual(['JOB_FAILED'])
})
