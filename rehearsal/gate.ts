import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** What happens to a Kinesis PutRecords on its way. */
export type PutFault =
  /** It arrives. */
  | 'none'
  /** Kinesis refuses all its records, as a shard does that is beyond its limits. */
  | 'throttle'
  /** It arrives, and its answer is lost: the caller knows of nothing. */
  | 'lose answer'

export type Gate = {
  /** Where everybody finds AWS: a port of this machine. */
  endpoint: string
  port: number
  /** Where it leads: the emulator. */
  leadTo(emulator: string): void
  /** From now on. `times`: for so many calls, then 'none'. */
  setFault(fault: PutFault, times?: number): void
  /** Calls that the last fault has hit. */
  hits(): number
  stop(): Promise<void>
}

/**
 * Stands between the emulator and all that call it as AWS: the CDK, the functions, Trino. It says that they came by TLS,
 * which policies ask for (the emulator believes this header), and puts on what the emulator's Kinesis never does.
 */
export async function startGate(): Promise<Gate> {
  let emulator = new URL('http://127.0.0.1')
  let fault: PutFault = 'none'
  let left = 0
  let hits = 0

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!String(incoming.headers['x-amz-target']).endsWith('.PutRecords')) {
      pass(incoming, incoming, response)
      return
    }
    const body = await buffer(incoming)
    const current = takeFault()
    if (current === 'throttle') send(response, 200, throttled(body))
    else if (current === 'none') pass(incoming, Readable.from([body]), response)
    else {
      pass(incoming, Readable.from([body]), null, () => send(response, 500, { __type: 'InternalFailure' }))
    }
  }

  function takeFault(): PutFault {
    const current = fault
    if (current === 'none') return current
    hits += 1
    left -= 1
    if (left <= 0) fault = 'none'
    return current
  }

  /** With the caller's own Host, which they have signed. `ended`: the answer is there, and nobody is given it. */
  function pass(
    { method, url, headers }: IncomingMessage,
    body: Readable,
    response: ServerResponse | null,
    ended = () => {},
  ): void {
    const outgoing = request({
      host: emulator.hostname,
      port: emulator.port,
      method,
      path: url,
      headers: { ...headers, 'x-forwarded-proto': 'https' },
    })
    outgoing.on('response', found => {
      if (response === null) found.resume().on('end', ended)
      else found.pipe(response.writeHead(found.statusCode ?? 502, found.headers))
    })
    outgoing.on('error', () => response?.destroy())
    body.pipe(outgoing)
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    leadTo(address) {
      emulator = new URL(address)
    },
    setFault(next, times = Number.POSITIVE_INFINITY) {
      fault = next
      left = times
      hits = 0
    },
    hits: () => hits,
    async stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** https://docs.aws.amazon.com/kinesis/latest/APIReference/API_PutRecords.html: the call succeeds, its records fail. */
function throttled(body: Buffer): unknown {
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
