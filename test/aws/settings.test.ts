import { expect, test } from 'vitest'
import { readSettings } from '#aws/settings'

const good = {
  POWERTOOLS_SERVICE_NAME: 'jobs',
  POWERTOOLS_METRICS_NAMESPACE: 'Footfall',
  POWERTOOLS_LOG_LEVEL: 'INFO',
  TABLE_NAME: 'state',
  BUCKET_NAME: 'lake',
  SCAN_FUNCTION: 'footfall-scan',
  TEXT_MODEL: '',
  COMPACTION_MEMORY_MB: '2048',
  JOB_QUEUE_URL: 'https://sqs.eu-west-1.amazonaws.com/123456789012/jobs',
  PROFILE: 'own',
  LIMITS: '',
}

test('readSettings returns the settings of the function with their types, and no other variables', () => {
  expect(readSettings('jobs', { ...good, PATH: '/usr/bin' })).toEqual({ ...good, COMPACTION_MEMORY_MB: 2048 })
})

test('the error names every missing or wrong variable and no value', () => {
  const bad = { ...good, TABLE_NAME: undefined, BUCKET_NAME: '', POWERTOOLS_LOG_LEVEL: 'secret' }
  const read = () => readSettings('jobs', bad)
  expect(read).toThrow(/The settings of the function jobs are wrong\. .*TABLE_NAME is not set\./)
  expect(read).toThrow(/BUCKET_NAME: /)
  expect(read).toThrow(/POWERTOOLS_LOG_LEVEL: /)
  expect(read).not.toThrow(/secret/)
})
