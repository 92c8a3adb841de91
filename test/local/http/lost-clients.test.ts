import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createLostClients, findLostPorts } from '#local/http/lost-clients'
import { eventually } from '#test/support/eventually'

/** Lines of /proc/net/tcp of a server on port 38037, whose first client dropped all packets for 26 s. */
const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode'
const LISTENING =
  '   0: 0100007F:9495 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 301 1 0 100 0 0 10 0'
const line = (remote: string, repetitions: number) =>
  `  12: 0100007F:9495 ${remote} 01 00000168:00000000 01:0000094B ${repetitions.toString(16).padStart(8, '0')}     0        0 302 2 0 20 4 0 10 -1`
const tableOf = (...lines: string[]) => [HEAD, LISTENING, ...lines, '']
/** The lost ports of clients of one local port. */
const lostOf = (lines: Iterable<string>, localPort: number) => [
  ...(findLostPorts(lines, new Set([localPort])).get(localPort) ?? []),
]

test('a client is lost after seven repetitions of a packet', () => {
  const table = tableOf(line('0100007F:ABBE', 7), line('0100007F:ABBF', 6), line('0100007F:ABC0', 16))
  expect(lostOf(table, 0x9495)).toEqual([0xabbe, 0xabc0])
  expect(lostOf(table, 0x9496)).toEqual([])
  expect(lostOf([], 0x9495)).toEqual([])
})

test('a port that two addresses use is lost only when both clients are', () => {
  expect(lostOf(tableOf(line('0100007F:ABBE', 9), line('0200007F:ABBE', 0)), 0x9495)).toHaveLength(0)
  expect(lostOf(tableOf(line('0100007F:ABBE', 9), line('0200007F:ABBE', 8)), 0x9495)).toHaveLength(1)
})

async function connect(): Promise<{ client: Socket; peer: Socket }> {
  const accepted = Promise.withResolvers<Socket>()
  const server = createServer(accepted.resolve)
  onTestFinished(() => void server.close())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const client = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
  onTestFinished(() => void client.destroy())
  return { client, peer: await accepted.promise }
}

test('a lost client is disconnected, and a client that confirms packets stays', async () => {
  const [alive, lost] = [await connect(), await connect()]
  const hex = (port: number | undefined) => Number(port).toString(16).padStart(4, '0').toUpperCase()
  const row = ({ localPort, remotePort }: Socket, repetitions: number) =>
    line(`0100007F:${hex(remotePort)}`, repetitions).replace('9495', hex(localPort))
  const table = tableOf(row(alive.peer, 2), row(lost.peer, 7))
  let reads = 0
  const { watch } = createLostClients({
    log: () => {},
    async readTables() {
      reads += 1
      return table
    },
    everyMs: 5,
  })
  for (const { peer } of [alive, lost]) watch(peer)
  await eventually(() => expect(lost.peer.destroyed).toBe(true))
  await eventually(() => expect(reads).toBeGreaterThan(3))
  expect(alive.peer.destroyed).toBe(false)
})

/** The end of a connection as the server has it, which counts how often it was closed. */
function fakeSocket(remotePort: number, localPort = 0x9495) {
  const socket = new EventEmitter()
  return Object.assign(socket, { localPort, remotePort, isClosed: false, destroy })
  function destroy(this: { isClosed: boolean }) {
    this.isClosed = true
    socket.emit('close')
  }
}

test('3,000 streams among 8,000 connections take each line once a look', async () => {
  const ports = Array.from({ length: 8_000 }, (_, i) => 1_000 + i)
  const lines = ports.map(port => line(`0100007F:${port.toString(16)}`, port % 10 === 0 ? 7 : 1))
  const looks: number[] = []
  const { watch } = createLostClients({
    log: () => {},
    async readTables() {
      const look = looks.push(0) - 1
      return (function* () {
        for (const each of lines) {
          looks[look] = (looks[look] ?? 0) + 1
          yield each
        }
      })()
    },
    everyMs: 5,
  })
  const sockets = ports.slice(0, 3_000).map(port => fakeSocket(port))
  for (const socket of sockets) watch(socket as unknown as Socket)
  await eventually(() => expect(looks.length).toBeGreaterThan(2))
  const closed = sockets.filter(({ isClosed }) => isClosed).map(({ remotePort }) => remotePort)
  expect(closed).toEqual(ports.slice(0, 3_000).filter(port => port % 10 === 0))
  expect(looks.slice(0, -1).every(taken => taken === 8_000)).toBe(true)
  for (const socket of sockets) socket.destroy()
})

test('streams of two ports are looked up by one read, and no second one begins while it runs', async () => {
  const table = tableOf(line('0100007F:ABBE', 1), line('0100007F:ABBE', 8).replace('9495', '9496'))
  let reads = 0
  let running = 0
  let most = 0
  const { watch } = createLostClients({
    log: () => {},
    async readTables() {
      reads += 1
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 10))
      running -= 1
      return table
    },
    everyMs: 1,
  })
  const [one, two, other] = [fakeSocket(0xabbe), fakeSocket(0xabbe, 0x9496), fakeSocket(0xabbf, 0x9496)]
  for (const socket of [one, two, other]) watch(socket as unknown as Socket)
  await eventually(() => expect(reads).toBeGreaterThan(3))
  expect([most, one.isClosed, two.isClosed, other.isClosed]).toEqual([1, false, true, false])
  for (const socket of [one, other]) socket.destroy()
})

test('a check that fails is logged, and the next one disconnects the lost client', async () => {
  const { peer } = await connect()
  const hex = (port: number | undefined) => Number(port).toString(16).padStart(4, '0').toUpperCase()
  const row = line(`0100007F:${hex(peer.remotePort)}`, 7).replace('9495', hex(peer.localPort))
  const logged: unknown[] = []
  const { watch } = createLostClients({
    log: (code, fields) => logged.push([code, fields?.timer]),
    async readTables() {
      if (logged.length === 0) throw new Error('EMFILE')
      return tableOf(row)
    },
    everyMs: 5,
  })
  watch(peer)
  await eventually(() => expect(peer.destroyed).toBe(true))
  expect(logged).toEqual([['TIMER_FAILED', 'lost clients']])
})

test.runIf(process.platform === 'linux')(
  'Linux lists the connection of a client, and it is not lost',
  async () => {
    const { peer } = await connect()
    const table = readFileSync('/proc/net/tcp', 'latin1').split('\n')
    const hex = `:${(peer.remotePort as number).toString(16).padStart(4, '0').toUpperCase()}`
    expect(table.some(row => row.trim().split(/\s+/)[2]?.endsWith(hex))).toBe(true)
    expect(lostOf(table, peer.localPort as number)).toEqual([])
  },
)
