import { readFileSync } from 'node:fs'
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

export type LostClientsOptions = { log: Log; readTables?: () => string; everyMs?: number }

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

  function check(): void {
    const tables = readTables()
    for (const socket of sockets) {
      if (findLostPorts(tables, socket.localPort).has(socket.remotePort as number)) socket.destroy()
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

/**
 * Returns the ports of clients of `localPort` that have confirmed nothing for many repetitions. A port that
 * several clients use, from several addresses, is returned only if all of them are lost.
 */
export function findLostPorts(tables: string, localPort: number | undefined): Set<number> {
  const lost = new Set<number>()
  const alive = new Set<number>()
  for (const line of tables.split('\n')) {
    const [, local, remote, , , , repetitions] = line.trim().split(/\s+/)
    if (portOf(local) !== localPort) continue
    const isLost = Number.parseInt(repetitions ?? '0', 16) >= LOST_AFTER_REPETITIONS
    ;(isLost ? lost : alive).add(portOf(remote))
  }
  return new Set([...lost].filter(port => !alive.has(port)))
}

/** Addresses have the form `0100007F:B115`, both in hex. */
function portOf(address = ''): number {
  return Number.parseInt(address.slice(address.indexOf(':') + 1), 16)
}

function readTcpTables(): string {
  return TABLES.map(path => {
    try {
      return readFileSync(path, 'latin1')
    } catch {
      return ''
    }
  }).join('\n')
}
