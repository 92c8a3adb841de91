import { Logger } from '@aws-lambda-powertools/logger'
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware'
import { Metrics } from '@aws-lambda-powertools/metrics'
import { Tracer } from '@aws-lambda-powertools/tracer'
import { captureLambdaHandler } from '@aws-lambda-powertools/tracer/middleware'
import middy from '@middy/core'
import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse'
import type { Context } from 'aws-lambda'
import type { Log } from '#core/ports'
import { withoutSecrets } from '#core/text/hide-secrets'
import { countedCodes, type Gauge, gauges, type LogCode, logCodes } from '#schemas/log'

/** Makes the response to a call whose function has only `before` ms left until Lambda ends it. */
export type TimeoutResponse<R> = { /** ms */ before: number; respond(): Promise<R> }

/**
 * Log lines, metrics and traces of a function on AWS, by Powertools. Powertools reads its settings from the
 * environment.
 */
export type Instruments = {
  log: Log
  gauge(name: Gauge, value: number): void
  /**
   * Makes the calls of an SDK client show in the traces, with their operation and their table, queue or key.
   */
  trace<T>(client: T): T
  /**
   * Makes the handler that Lambda calls. Events and responses are neither logged nor traced, because they
   * hold credentials and personal data. Without `timeout` Lambda ends a call that takes too long.
   */
  instrument<E, R>(
    handle: (event: E, signal: AbortSignal) => Promise<R>,
    timeout?: TimeoutResponse<R>,
  ): (event: E, context: Context) => Promise<R>
  /**
   * The same for a function that streams its response. Lambda's runtime provides what it needs, so call it
   * only there.
   */
  instrumentStream<E, R>(handle: (event: E) => Promise<R>): unknown
}

const metricCodes: ReadonlySet<LogCode> = new Set(countedCodes)

/** Levels that leave out the lines about normal work. */
const QUIET = ['WARN', 'ERROR']

/** Call it once, outside the handler. */
export function createInstruments(): Instruments {
  const logger = new Logger()
  // On Lambda the logger obeys AWS_LAMBDA_LOG_LEVEL, which must stay INFO for the metrics (lib/function.ts).
  const isQuiet = QUIET.includes(process.env.POWERTOOLS_LOG_LEVEL ?? '')
  const metrics = new Metrics()
  // The tracer's own segments of HTTPS requests would show paths, and tell less than those of the clients.
  const tracer = new Tracer({ captureHTTPsRequests: false })

  return {
    log(code, fields = {}) {
      const line = withoutSecrets({ code, ...fields })
      if (!metricCodes.has(code)) {
        if (!isQuiet) logger.info(logCodes[code], line)
        return
      }
      logger.error(logCodes[code], line)
      metrics.addMetric(code, 'Count', 1)
    },
    gauge: (name, value) => metrics.addMetric(name, gauges[name].unit, value),
    trace: client => tracer.captureAWSv3Client(client),
    instrument: (handle, timeout) =>
      middy(
        (event: Parameters<typeof handle>[0], _: Context, { signal }: { signal: AbortSignal }) =>
          neverAfterTimeout(handle(event, signal), signal),
        timeout === undefined
          ? { timeoutEarlyInMillis: 0 }
          : { timeoutEarlyInMillis: timeout.before, timeoutEarlyResponse: timeout.respond },
      )
        .use(captureLambdaHandler(tracer, { captureResponse: false }))
        .use(injectLambdaContext(logger, { logEvent: false }))
        .use(publishMetrics(metrics)),
    instrumentStream: handle =>
      middy(handle, { executionMode: executionModeStreamifyResponse, timeoutEarlyInMillis: 0 })
        .before(({ context }) => {
          // The connections of the clients stay open. Without this the call would last until its timeout.
          context.callbackWaitsForEmptyEventLoop = false
        })
        .use(captureLambdaHandler(tracer, { captureResponse: false }))
        .use(injectLambdaContext(logger, { logEvent: false }))
        .use(publishMetrics(metrics)),
  }
}

/**
 * Settles as `result` does, but never after the timeout: then the timeout response is on its way and must not
 * lose.
 */
async function neverAfterTimeout<R>(result: Promise<R>, signal: AbortSignal): Promise<R> {
  try {
    return await result
  } finally {
    if (signal.aborted) await new Promise(() => {})
  }
}

/**
 * Publishes the metrics of a call, if it has any. Powertools' own middleware writes a line for a call without
 * metrics.
 */
function publishMetrics(metrics: Metrics): middy.MiddlewareObj {
  const publish = () => {
    if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics()
  }
  return { after: publish, onError: publish }
}
