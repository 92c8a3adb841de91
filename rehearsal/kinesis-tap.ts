import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What happens to a PutRecords on its way. */
export type PutFault =
  /** It arrives. */
  | 'none'
  /** Kinesis refuses all its records, as a shard does that is beyond its limits. */
  | 'throttle'
  /** It arrives, and its answer is lost: the caller knows of nothing. */
  | 'lose answer'

export type KinesisTap = {
  endpoint: string
  /** From now on. `times`: for so many calls, then 'none'. */
  setFault(fault: PutFault, times?: number): void
  /** Calls that a fault has hit. */
  hits(): number
  stop(): Promise<void>
}

/** Stands between the functions and the emulator's Kinesis, which knows no limits. */
export async function startKinesisTap(): Promise<KinesisTap & { leadTo(emulator: string): void }> {
  let emulator = ''
  let fault: PutFault = 'none'
  let left = 0
  let hits = 0

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming)
    const isPut = String(incoming.headers['x-amz-target']).endsWith('.PutRecords')
    const current = isPut ? takeFault() : 'none'
    if (current === 'throttle') {
      send(response, 200, throttled(body))
      return
    }
    const { host: _, connection: __, ...headers } = incoming.headers
    const found = await fetch(emulator + incoming.url, {
      method: incoming.method ?? 'POST',
      headers: headers as Record<string, string>,
      body,
    })
    if (current === 'lose answer') {
      await found.arrayBuffer()
      send(response, 500, { __type: 'InternalFailure' })
      return
    }
    response.writeHead(found.status, { 'Content-Type': found.headers.get('content-type') ?? '' })
    response.end(Buffer.from(await found.arrayBuffer()))
  }

  function takeFault(): PutFault {
    const current = fault
    if (current === 'none') return current
    hits += 1
    left -= 1
    if (left <= 0) fault = 'none'
    return current
  }

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    leadTo(address) {
      emulator = address
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
