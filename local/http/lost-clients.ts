import { readFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'

/** The connections of this machine on Linux (proc(5)). Other systems have no such files. */
const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']
const CHECK_MS = 10_000
/**
 * The waiting time doubles with each repetition. The seventh comes 25 s after the first packet, or later on a
 * slow network.
 */
const LOST_AFTER_REPETITIONS = 7

export type LostClientsOptions = {
  log: Log
  /** The lines of the tables of connections. */
  readTables?: () => Promise<Iterable<string>>
  everyMs?: number
}

export type LostClients = {
  /** Watches the connection of a stream until it is closed. */
  watch(socket: Socket): void
}

/**
 * Closes the connections of streams whose client is gone without a word, as after a power cut or a loss of
 * the network. The kernel repeats unconfirmed packets for 15 minutes, and for that time such a stream would
 * use one of the open streams of its account. TCP keepalive does not help, because it waits while a packet is
 * unconfirmed, and each heartbeat is one.
 */
export function createLostClients({
  log,
  readTables = readTcpTables,
  everyMs = CHECK_MS,
}: LostClientsOptions): LostClients {
  const sockets = new Set<Socket>()
  let timer: NodeJS.Timeout | undefined
  let isChecking = false

  /** Reads the tables once for all streams: a stranger may open thousands of them. */
  async function check(): Promise<void> {
    if (isChecking) return
    isChecking = true
    try {
      const lines = await readTables()
      const lost = findLostPorts(lines, new Set([...sockets].map(({ localPort }) => localPort)))
      for (const socket of sockets) {
        if (lost.get(socket.localPort)?.has(socket.remotePort)) socket.destroy()
      }
    } finally {
      isChecking = false
    }
  }

  return {
    watch(socket) {
      sockets.add(socket)
      timer ??= setInterval(caught(log, 'lost clients', check), everyMs).unref()
      socket.once('close', () => {
        sockets.delete(socket)
        if (sockets.size > 0) return
        clearInterval(timer)
        timer = undefined
      })
    },
  }
}

type Port = number | undefined

/**
 * Returns for each of the local ports the ports of its clients that have confirmed nothing for many
 * repetitions. A port that several clients use, from several addresses, is returned only if all of them are
 * lost. It takes each line once, however many streams there are.
 */
export function findLostPorts(
  lines: Iterable<string>,
  localPorts: ReadonlySet<Port>,
): Map<Port, ReadonlySet<Port>> {
  const clients = new Map<Port, { lost: Set<Port>; alive: Set<Port> }>()
  for (const line of lines) {
    const [, local, remote, , , , repetitions] = line.trim().split(/\s+/)
    const localPort = portOf(local)
    if (!localPorts.has(localPort)) continue
    const ofPort = clients.get(localPort) ?? { lost: new Set(), alive: new Set() }
    clients.set(localPort, ofPort)
    const isLost = Number.parseInt(repetitions ?? '0', 16) >= LOST_AFTER_REPETITIONS
    ofPort[isLost ? 'lost' : 'alive'].add(portOf(remote))
  }
  return new Map(
    [...clients].map(([port, { lost, alive }]) => [
      port,
      new Set([...lost].filter(client => !alive.has(client))),
    ]),
  )
}

/** Addresses have the form `0100007F:B115`, both in hex. */
function portOf(address = ''): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
}

async function readTcpTables(): Promise<string[]> {
  const tables = await Promise.all(TABLES.map(path => readFile(path, 'latin1').catch(() => '')))
  return tables.flatMap(table => table.split('\n'))
}
