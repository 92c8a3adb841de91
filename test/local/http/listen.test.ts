import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { jsonResponse } from '#lambdas/response'
import { freePort, listen, PortError } from '#local/http/listen'

const respond = async () => jsonResponse(200, { ok: true })
const functions = {
  track: respond,
  reports: respond,
  stream: respond,
  control: respond,
  auth: respond,
  site: respond,
  pages: respond,
  mcp: respond,
  replay: respond,
}

async function listenOn(host: string, port: number) {
  const front = await listen({ host, port, functions, log: () => {} })
  onTestFinished(front.close)
}

test('a front on localhost responds on both addresses that localhost can mean', async () => {
  const port = await freePort('localhost')
  await listenOn('localhost', port)
  for (const host of ['127.0.0.1', 'localhost', ...((await hasIpv6()) ? ['[::1]'] : [])]) {
    expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200)
  }
})

test('a used port is refused with its number', async () => {
  const port = await freePort('127.0.0.1')
  await listenOn('127.0.0.1', port)
  const second = listenOn('127.0.0.1', port)
  await expect(second).rejects.toThrow(PortError)
  await expect(second).rejects.toThrow(`Port ${port} is used by another program.`)
})

test('a host that is not an address of this machine is refused with its name', async () => {
  const listening = listenOn('192.0.2.1', 0)
  await expect(listening).rejects.toThrow(PortError)
  await expect(listening).rejects.toThrow('HOST=192.0.2.1 is not an address of this machine.')
})

test('the search for a free port refuses a host that is not an address of this machine', async () => {
  await expect(freePort('192.0.2.1')).rejects.toThrow('HOST=192.0.2.1 is not an address of this machine.')
})

function hasIpv6(): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(0, '::1', () => server.close(() => resolve(true)))
  })
}
