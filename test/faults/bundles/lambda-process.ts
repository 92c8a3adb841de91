import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { endOfOutput } from './end-of-output.ts'

/**
 * The process in which a bundle runs, as test/faults/bundles/bundle-process.ts starts it. Loads the bundle of
 * its first argument, then runs one event after the other from its IPC channel. Results and errors travel as
 * JSON, as on Lambda.
 */
export type Invocation = { event: unknown; timeoutMs: number }
export type Outcome =
  | { kind: 'ready' }
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; errorType: string; errorMessage: string }

/**
 * The part of Lambda's runtime that a function needs to stream its response. The whole response becomes the
 * result.
 */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse:
      (handle: (event: unknown, stream: PassThrough, context: unknown) => Promise<void>) =>
      async (event: unknown, context: unknown) => {
        const stream = Object.assign(new PassThrough(), { metadata: {} })
        const body = text(stream)
        await handle(event, stream, context)
        return { ...stream.metadata, body: await body }
      },
    HttpResponseStream: {
      from: (stream: PassThrough, metadata: unknown) => Object.assign(stream, { metadata }),
    },
  },
})

const send = (outcome: Outcome) => process.send?.(outcome)
const { handler } = await import(process.argv[2] ?? '').catch(error => {
  // Node itself would print the line of the bundle first, which is longer than the pipe.
  process.stderr.write(String(error))
  process.exit(1)
})
let invocations = 0

async function run(event: unknown, context: object): Promise<Outcome> {
  try {
    return { kind: 'result', result: (await handler(event, context)) ?? null }
  } catch (error) {
    const { name, message } = error as Error
    return { kind: 'error', errorType: name, errorMessage: message }
  }
}

process.on('message', async ({ event, timeoutMs }: Invocation) => {
  const end = Date.now() + timeoutMs
  process.env._X_AMZN_TRACE_ID = `Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1`
  const context = {
    callbackWaitsForEmptyEventLoop: true,
    functionName: 'footfall-test',
    functionVersion: '$LATEST',
    invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:footfall-test',
    memoryLimitInMB: '512',
    awsRequestId: `79104ea5-0f6f-4d4b-9a6b-${String(++invocations).padStart(12, '0')}`,
    logGroupName: '/aws/lambda/footfall-test',
    logStreamName: '2026/11/21/[$LATEST]0f1e2d3c4b5a69788796a5b4c3d2e1f0',
    getRemainingTimeInMillis: () => end - Date.now(),
  }
  const outcome = await run(event, context)
  for (const pipe of [process.stdout, process.stderr]) pipe.write(endOfOutput(invocations))
  send(outcome)
})
send({ kind: 'ready' })
