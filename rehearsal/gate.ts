import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { isForApi, isTooLong, passedOn } from './api-gateway-limits.ts'
import { createExecutionCap, type ExecutionCap } from './execution-cap.ts'

/** A fault that the gate adds to PutRecords calls of Kinesis. */
export type PutFault =
  | 'none'
  /** All records are refused, as by a shard above its limits. */
  | 'throttle'
  /** The records are stored, but the caller gets no response. */
  | 'lose response'

export type Gate = {
  /** The address that all clients use as AWS. */
  endpoint: string
  port: number
  /** Sets the address of the emulator. */
  forwardTo(emulator: string): void
  /** Sets the fault, for `times` calls or until the next change. */
  setFault(fault: PutFault, times?: number): void
  /** Number of calls that met the last fault. */
  faultCount(): number
  /** The executions that requests of the API find. The API answers 503 to a request that finds none. */
  executions: ExecutionCap
  stop(): Promise<void>
}

/**
 * Starts a proxy between the emulator and all its clients: the CDK, the functions and Trino. It marks
 * requests as HTTPS, which our policies require and the emulator reads from a header. It also adds what the
 * emulator never has: faults of Kinesis, what API Gateway does to headers, and the executions of a small
 * account.
 */
export async function startGate(): Promise<Gate> {
  let emulator = new URL('http://127.0.0.1')
  let fault: PutFault = 'none'
  let remaining = 0
  let faultCount = 0
  const executions = createExecutionCap()

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (isForApi(incoming.url) && isTooLong(incoming)) {
      incoming.resume()
      send(response, 431, { message: 'Request Header Fields Too Large' })
      return
    }
    if (isForApi(incoming.url)) {
      const free = executions.take()
      if (free === null) {
        incoming.resume()
        send(response, 503, { message: 'Service Unavailable' })
        return
      }
      response.once('close', free)
    }
    if (!String(incoming.headers['x-amz-target']).endsWith('.PutRecords')) {
      forward(incoming, incoming, response)
      return
    }
    const body = await buffer(incoming)
    const currentFault = nextFault()
    if (currentFault === 'throttle') send(response, 200, throttledResponse(body))
    else if (currentFault === 'none') forward(incoming, Readable.from([body]), response)
    else {
      forward(incoming, Readable.from([body]), null, () => send(response, 500, { __type: 'InternalFailure' }))
    }
  }

  function nextFault(): PutFault {
    const currentFault = fault
    if (currentFault === 'none') return currentFault
    faultCount += 1
    remaining -= 1
    if (remaining <= 0) fault = 'none'
    return currentFault
  }

  /**
   * Forwards a request with the caller's Host header, which is part of the signature. With `response` null,
   * it discards the response of the emulator and then calls `onDiscardedResponse`.
   */
  function forward(
    { method, url, headers }: IncomingMessage,
    body: Readable,
    response: ServerResponse | null,
    onDiscardedResponse = () => {},
  ): void {
    const outgoing = request({
      host: emulator.hostname,
      port: emulator.port,
      method,
      path: url,
      headers: { ...headers, 'x-forwarded-proto': 'https' },
    })
    outgoing.on('response', upstream => {
      if (response === null) upstream.resume().on('end', onDiscardedResponse)
      else {
        const sent = isForApi(url) ? passedOn(headers, upstream.headers) : upstream.headers
        upstream.pipe(response.writeHead(upstream.statusCode ?? 502, sent))
      }
    })
    outgoing.on('error', () => response?.destroy())
    body.pipe(outgoing)
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    forwardTo(address) {
      emulator = new URL(address)
    },
    setFault(next, times = Number.POSITIVE_INFINITY) {
      fault = next
      remaining = times
      faultCount = 0
    },
    faultCount: () => faultCount,
    executions,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * The call succeeds, but each record fails
 * (docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html).
 */
function throttledResponse(body: Buffer): unknown {
  const { Records } = JSON.parse(body.toString('utf8')) as { Records: unknown[] }
  return {
    FailedRecordCount: Records.length,
    Records: Records.map(() => ({
      ErrorCode: 'ProvisionedThroughputExceededException',
      ErrorMessage: 'Rate exceeded for shard shardId-000000000000 in stream of account 000000000000.',
    })),
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
}
