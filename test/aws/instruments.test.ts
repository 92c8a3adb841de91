import type { Context } from 'aws-lambda'
import { afterEach, expect, test, vi } from 'vitest'
import { createInstruments } from '#aws/instruments'

const context = { functionName: 'lake', awsRequestId: '1' } as Context

function setEnvironment(service: string) {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', service)
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Footfall')
  vi.stubEnv('POWERTOOLS_TRACE_ENABLED', 'false')
}

/** Collects the lines that Lambda would send to the log. */
function linesOf(stream: NodeJS.WriteStream): string[] {
  const lines: string[] = []
  vi.spyOn(stream, 'write').mockImplementation(chunk => lines.push(String(chunk)) > 0)
  return lines
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('a call without log codes writes no line', async () => {
  setEnvironment('track')
  const lines = [linesOf(process.stdout), linesOf(process.stderr)]
  const { instrument } = createInstruments()
  await expect(instrument(async () => 'done')({}, context)).resolves.toBe('done')
  expect(lines.flat()).toEqual([])
})

test('a code of a failure counts in a metric of its name and function, also when the call fails', async () => {
  setEnvironment('lake')
  const lines = linesOf(process.stdout)
  linesOf(process.stderr)
  const { log, instrument } = createInstruments()
  const handler = instrument(async () => {
    log('RECORD_QUARANTINED', { records: 1 })
    log('RECORD_QUARANTINED', { records: 2 })
    throw new Error('no more')
  })
  await expect(handler({}, context)).rejects.toThrow('no more')
  const published = lines.map(line => JSON.parse(line)).filter(line => '_aws' in line)
  expect(published).toMatchObject([{ service: 'lake', RECORD_QUARANTINED: [1, 1] }])
  expect(published[0]._aws.CloudWatchMetrics).toMatchObject([
    {
      Namespace: 'Footfall',
      Dimensions: [['service']],
      Metrics: [{ Name: 'RECORD_QUARANTINED', Unit: 'Count' }],
    },
  ])
})

test.each([
  ['INFO', ['EPOCH_CLOSED', 'JOB_FAILED']],
  ['WARN', ['JOB_FAILED']],
  ['ERROR', ['JOB_FAILED']],
])('the level %s drops the lines below it and keeps the metrics', async (level, codes) => {
  setEnvironment('jobs')
  // The stack sets these on Lambda. With a higher level Lambda itself would drop the metrics too.
  vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON')
  vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO')
  vi.stubEnv('POWERTOOLS_LOG_LEVEL', level)
  const written = [linesOf(process.stdout), linesOf(process.stderr)]
  const { log, instrument } = createInstruments()
  const handler = instrument(async () => {
    log('EPOCH_CLOSED', { epoch: 1 })
    log('JOB_FAILED', { job: 'a' })
  })
  await handler({}, context)
  const lines = written.flat().map(line => JSON.parse(line))
  expect(lines.flatMap(({ code }) => code ?? [])).toEqual(codes)
  expect(lines.filter(line => '_aws' in line)).toMatchObject([{ service: 'jobs', JOB_FAILED: 1 }])
})

test('a secret in a field is not written', async () => {
  setEnvironment('reports')
  const lines = [linesOf(process.stdout), linesOf(process.stderr)]
  const key = `aak_${'0a'.repeat(40)}`
  const { log, instrument } = createInstruments()
  await instrument(async () => log('REQUEST_FAILED', { error: `Error: ${key}` }))({}, context)
  expect(lines.flat().join('')).toContain('Error: aak_…')
  expect(lines.flat().join('')).not.toContain('0a'.repeat(10))
})
