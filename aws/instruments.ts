import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Metrics } from '@aws-lambda-powertools/metrics'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import middy from '@middy/core'
import type { Context } from 'aws-lambda'
import type { Log } from '#core/ports'
import { countedCodes, type Gauge, gauges, type LogCode, logCodes } from '#schemas/log'

/** What a call is answered with just before its function would be cut off. */
export type TimeoutResponse<R> = { /** ms */ before: number; answer(): Promise<R> }

/** How a function on AWS tells what it does: log lines, metrics and traces, by Powertools, which reads its own settings. */
export type Instruments = {
  log: Log
  gauge(name: Gauge, value: number): void
  /** A client of the SDK whose calls show in the traces: their operation and their table, queue or key. */
  traced<T>(client: T): T
  /**
   * The handler that Lambda calls. Neither events nor answers are logged or traced: they hold credentials and what
   * visitors did. Without `late` a call that takes too long is cut off by Lambda.
   */
  instrumented<E, R>(
    handle: (event: E, signal: AbortSignal) => Promise<R>,
    late?: TimeoutResponse<R>,
  ): (event: E, context: Context) => Promise<R>
}

const counted: ReadonlySet<LogCode> = new Set(countedCodes)

/** Levels that leave out what tells of no trouble. */
const QUIET = ['WARN', 'ERROR']

/** Made once, outside the handler. */
export function openInstruments(): Instruments {
  const logger = new Logger()
  // On Lambda the logger goes by AWS_LAMBDA_LOG_LEVEL, which metrics keep at INFO (lib/function.ts), not by ours.
  const isQuiet = QUIET.includes(process.env.POWERTOOLS_LOG_LEVEL ?? '')
  const metrics = new Metrics()
  // Its own view of every HTTPS request would show their paths, and says less than that of the clients.
  const tracer = new Tracer({ captureHTTPsRequests: false })

  return {
    log(code, fields = {}) {
      const line = { code, ...fields }
      if (!counted.has(code)) {
        if (!isQuiet) logger.info(logCodes[code], line)
        return
      }
      logger.error(logCodes[code], line)
      metrics.addMetric(code, 'Count', 1)
    },
    gauge: (name, value) => metrics.addMetric(name, gauges[name].unit, value),
    traced: client => tracer.captureAWSv3Client(client),
    instrumented: (handle, late) =>
      middy(
        (event: Parameters<typeof handle>[0], _: Context, { signal }: { signal: AbortSignal }) =>
          unlessEnded(handle(event, signal), signal),
        late === undefined
          ? { timeoutEarlyInMillis: 0 }
          : { timeoutEarlyInMillis: late.before, timeoutEarlyResponse: late.answer },
      )
        .use(captureLambdaHandler(tracer, { captureResponse: false }))
        .use(injectLambdaContext(logger, { logEvent: false }))
        .use(publishing(metrics)),
  }
}

/** What a call gives; never anything once it was ended: that is for its late answer, which may take longer. */
async function unlessEnded<R>(given: Promise<R>, signal: AbortSignal): Promise<R> {
  try {
    return await given
  } finally {
    if (signal.aborted) await new Promise(() => {})
  }
}

/** Publishes what a call has counted. Most have counted nothing, of which Powertools' own middleware writes a line each. */
function publishing(metrics: Metrics): middy.MiddlewareObj {
  const publish = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics()
  }
  return { after: publish, onError: publish }
}
