import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { CAPS } from '#local/http/admission'
import { MAX_BODY_BYTES } from '#schemas/route'
import { eventually } from '#test/support/eventually'
import { cleanUp, runFailingService, type Service, startService } from '#test/support/service-process'
import { waitForTotal } from '#test/support/service-reads'
import { startTrackingClient } from '#test/support/tracking-client'

/**
 * One stranger holds what everybody needs: connections, or the room for bodies. The neighbour is another
 * address of this machine. The tests run at the same time.
 */

afterAll(cleanUp)

/** The stranger connects to this address of the service, and from this one; the neighbour uses 127.0.0.1. */
const STRANGER = '127.0.0.2'
const LIMITED = { fileLimit: 1_500, env: { HOST: '0.0.0.0' } }
/** So many events of the neighbour are acknowledged while the attack goes on. */
const EVENTS = 60
/** Connections of the stranger that are opened at the same time. */
const AT_ONCE = 100

const portOf = ({ baseUrl }: Service) => Number(new URL(baseUrl).port)
const halfRequest = (bytes: number, sent: number) =>
  Buffer.concat([
    Buffer.from(`POST /track HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`),
    Buffer.alloc(sent, 0x20),
  ])

/** Opens so many connections, and sends these bytes on each. Resolves when the system has all bytes. */
async function attack(service: Service, count: number, bytes: string | Buffer) {
  const sockets: Socket[] = []
  for (let i = 0; i < count; i += AT_ONCE) {
    const next = Array.from({ length: Math.min(AT_ONCE, count - i) }, () => {
      const socket = connect({ port: portOf(service), host: '127.0.0.1', localAddress: STRANGER })
      // The service closes most of them.
      socket.on('error', () => {})
      socket.resume()
      return socket
    })
    sockets.push(...next)
    await Promise.all(
      next.map(socket => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})),
    )
    for (const socket of next) socket.write(bytes)
  }
  const isSent = (socket: Socket) => socket.closed || socket.writableLength === 0
  await eventually(() => expect(sockets.filter(socket => !isSent(socket))).toHaveLength(0))
  return {
    open: () => sockets.filter(socket => !socket.closed).length,
    end() {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * The neighbour sends events, each of which is acknowledged at the first try, and reads all of them.
 * `earlier`: the events that it sent before. Returns how many there are now.
 */
async function expectUnharmed(service: Service, prefix: string, earlier = 0): Promise<number> {
  const client = startTrackingClient({ credentials: service.credentials, prefix })
  await client.reach(EVENTS)
  await client.stop()
  expect([...client.statusCounts.keys()]).toEqual([202])
  const total = earlier + client.acknowledged.size
  await waitForTotal(service, total)
  expect(service.output()).not.toMatch(/EMFILE|_FAILED/)
  return total
}

const onLinux = test.runIf(process.platform === 'linux').concurrent

onLinux('1,700 connections with half a header, at a limit of 1,500 files, harm nobody else', async () => {
  const service = await startService(LIMITED)
  expect(service.output()).toContain('The limit of open files is 1500')
  const stranger = await attack(service, 1_700, 'POST /track HTTP/1.1\r\nHost: x\r\n')
  // A peer may have a quarter of the connections. What is over that was closed already.
  await eventually(() => expect(stranger.open()).toBeLessThan(400))
  expect(stranger.open()).toBeGreaterThan(100)
  await expectUnharmed(service, 'neighbour')
  expect(service.output()).toContain('CONNECTIONS_CLOSED')
  stranger.end()
  expect(await service.stop()).toBe(0)
})

onLinux(
  '128 bodies of 1 MiB less one byte, and then 300 slow ones, leave room for the events of others',
  async () => {
    const service = await startService({ env: { HOST: '0.0.0.0' } })
    const large = await attack(service, 128, halfRequest(MAX_BODY_BYTES, MAX_BODY_BYTES - 1))
    const events = await expectUnharmed(service, 'beside-large')
    large.end()
    // So many bytes of 300 bodies would fill the whole budget.
    const slow = await attack(service, 300, halfRequest(MAX_BODY_BYTES, Math.ceil(CAPS.bodyBytes / 300)))
    await expectUnharmed(service, 'beside-slow', events)
    slow.end()
    expect(await service.stop()).toBe(0)
  },
)

onLinux('a limit of files that leaves too few connections ends the start, and says what to do', async () => {
  const { code, output } = await runFailingService({ fileLimit: 128 })
  expect(code).toBe(1)
  expect(output).toContain(
    'Footfall cannot start. The limit of open files is 128, and the service needs at least',
  )
})
