import type { Context } from 'aws-lambda'
import { afterEach, expect, test, vi } from 'vitest'
import { openInstruments } from '#aws/instruments'

const context = { functionName: 'lake', awsRequestId: '1' } as Context

function settle(service: string) {
  vi.stubEnv('POWERTOOLS_SERVICE_NAME', service)
  vi.stubEnv('POWERTOOLS_METRICS_NAMESPACE', 'Footfall')
  vi.stubEnv('POWERTOOLS_TRACE_ENABLED', 'false')
}

/** The lines that Lambda would send to the log. */
function linesOf(stream: NodeJS.WriteStream): string[] {
  const lines: string[] = []
  vi.spyOn(stream, 'write').mockImplementation(chunk => lines.push(String(chunk)) > 0)
  return lines
}

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

test('a call that tells nothing writes nothing: every line of a call is paid for', async () => {
  settle('track')
  const lines = [linesOf(process.stdout), linesOf(process.stderr)]
  const { instrument } = openInstruments()
  await expect(instrument(async () => 'done')({}, context)).resolves.toBe('done')
  expect(lines.flat()).toEqual([])
})

test('a code that tells of trouble counts in a metric of its name and function, also of a call that fails', async () => {
  settle('lake')
  const lines = linesOf(process.stdout)
  linesOf(process.stderr)
  const { log, instrument } = openInstruments()
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
])(
  'with the level %s, lines below it are left out and metrics are not, whatever Lambda lets through',
  async (level, told) => {
    settle('jobs')
    // As Lambda sets them by the stack: its own filter would take the metrics with it.
    vi.stubEnv('AWS_LAMBDA_LOG_FORMAT', 'JSON')
    vi.stubEnv('AWS_LAMBDA_LOG_LEVEL', 'INFO')
    vi.stubEnv('POWERTOOLS_LOG_LEVEL', level)
    const written = [linesOf(process.stdout), linesOf(process.stderr)]
    const { log, instrument } = openInstruments()
    const handler = instrument(async () => {
      log('EPOCH_CLOSED', { epoch: 1 })
      log('JOB_FAILED', { job: 'a' })
    })
    await handler({}, context)
    const lines = written.flat().map(line => JSON.parse(line))
    expect(lines.flatMap(({ code }) => code ?? [])).toEqual(told)
    expect(lines.filter(line => '_aws' in line)).toMatchObject([{ service: 'jobs', JOB_FAILED: 1 }])
  },
)
