import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { jsonResponse } from '#lambdas/http/response'
import { listen, PortError, reservePort } from '#local/http/listen'

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
  const { port, release } = await reservePort('localhost')
  await release()
  await listenOn('localhost', port)
  for (const host of ['127.0.0.1', 'localhost', ...((await hasIpv6()) ? ['[::1]'] : [])]) {
    expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200)
  }
})

test('a used port is refused with its number', async () => {
  const { port, release } = await reservePort('127.0.0.1')
  await release()
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

test('nothing else can listen on a reserved port before its release, on either address of localhost', async () => {
  const { port, release } = await reservePort('localhost')
  onTestFinished(release)
  for (const host of ['127.0.0.1', ...((await hasIpv6()) ? ['::1'] : [])]) {
    await expect(listenOn(host, port)).rejects.toThrow(`Port ${port} is used by another program.`)
  }
})

test('a connection to a reserved port ends at once', async () => {
  const { port, release } = await reservePort('127.0.0.1')
  onTestFinished(release)
  await new Promise(resolve =>
    connect(port, '127.0.0.1')
      .on('error', () => {})
      .once('close', resolve),
  )
})

test('the reservation of a port refuses a host that is not an address of this machine', async () => {
  await expect(reservePort('192.0.2.1')).rejects.toThrow('HOST=192.0.2.1 is not an address of this machine.')
})

function hasIpv6(): Promise<boolean> {
  const server = createServer()
  return new Promise(resolve => {
    server.once('error', () => resolve(false))
    server.listen(0, '::1', () => server.close(() => resolve(true)))
  })
}
