import type { Socket } from 'node:net'
import type { Log } from '#core/ports'

export type ConnectionsOptions = {
  /** Most open connections. */
  max: number
  /** Most open connections of one peer. */
  maxOfPeer: number
  log: Log
}

export type Connections = {
  /**
   * Takes a new connection. If there are too many, an idle one is closed for it: the oldest of the peer that
   * has as many as it may have, else the oldest of the peer that has most. If none is idle, the new
   * connection is over the cap, so its request is refused.
   */
  add(socket: ConnectionSocket, peer: string | null): void
  /**
   * Whether the connection may send this request. Behind a trusted proxy it counts as one of the `peer` that
   * the request names, until `release`.
   */
  admit(socket: ConnectionSocket, peer: string | null): boolean
  /** The response was sent, so a connection of a proxy is no longer one of the request's peer. */
  release(socket: ConnectionSocket): void
  /**
   * The service works on a request of the connection, which is not idle until the returned function is
   * called. A client that is still sending, or does not read the response, is idle.
   */
  work(socket: ConnectionSocket): () => void
}

/** What this needs of a socket, for tests with sockets made by hand. */
export type ConnectionSocket = Pick<Socket, 'destroy'> & {
  once(event: 'close', listener: () => void): unknown
}

type Connection = {
  socket: ConnectionSocket
  /** The peer that opened it. A symbol: nobody knows for whom, so it is a peer of its own. */
  opener: string | symbol
  group: Group
  requests: number
  isOver: boolean
}

/** The connections of one peer. */
type Group = {
  peer: string | symbol
  size: number
  /** Those without a request that the service works on; the one that is so for the longest time first. */
  idle: Set<Connection>
}

/** Closed connections are logged once in this time, ms. */
const LOG_MS = 60_000

/** Counts the open connections, by peer and in all, and closes idle ones over the caps. */
export function createConnections({ max, maxOfPeer, log }: ConnectionsOptions): Connections {
  const connections = new Map<ConnectionSocket, Connection>()
  const groups = new Map<string | symbol, Group>()
  /** The groups that have idle connections, by their size: a flood must not make each search a long one. */
  const bySize = new Map<number, Set<Group>>()
  /** No group of `bySize` is larger. */
  let largest = 0
  let closed = 0
  let loggedAt = Number.NEGATIVE_INFINITY

  /** Changes a group, and keeps `bySize` right. */
  function change(group: Group, apply: () => void): void {
    bySize.get(group.size)?.delete(group)
    if (bySize.get(group.size)?.size === 0) bySize.delete(group.size)
    apply()
    if (group.size === 0) groups.delete(group.peer)
    if (group.idle.size === 0) return
    const same = bySize.get(group.size)
    if (same === undefined) bySize.set(group.size, new Set([group]))
    else same.add(group)
    largest = Math.max(largest, group.size)
  }

  function join(connection: Connection, peer: string | symbol): void {
    const group = groups.get(peer) ?? { peer, size: 0, idle: new Set() }
    groups.set(peer, group)
    connection.group = group
    change(group, () => {
      group.size += 1
      if (connection.requests === 0) group.idle.add(connection)
    })
  }

  function leave(connection: Connection): void {
    const { group } = connection
    change(group, () => {
      group.size -= 1
      group.idle.delete(connection)
    })
  }

  function move(connection: Connection, peer: string | symbol): void {
    if (connection.group.peer === peer) return
    leave(connection)
    join(connection, peer)
  }

  function remove(connection: Connection): void {
    if (connections.delete(connection.socket)) leave(connection)
  }

  /** The group that has most connections, of those with idle ones. */
  function fullest(): Group | undefined {
    while (largest > 0 && !bySize.has(largest)) largest -= 1
    return bySize.get(largest)?.values().next().value
  }

  /** Closes the oldest idle connection of the group. False if it has none. */
  function closeOldest(group: Group | undefined): boolean {
    const oldest = group?.idle.values().next().value
    if (oldest === undefined) return false
    remove(oldest)
    oldest.socket.destroy()
    closed += 1
    const now = performance.now()
    if (now - loggedAt >= LOG_MS) {
      log('CONNECTIONS_CLOSED', { closed, open: connections.size, max })
      loggedAt = now
      closed = 0
    }
    return true
  }

  const isOver = ({ group }: Connection) => group.size > maxOfPeer || connections.size > max

  return {
    add(socket, peer) {
      const opener = peer ?? Symbol('connection of a proxy')
      const group = groups.get(opener)
      if (group !== undefined && group.size >= maxOfPeer) closeOldest(group)
      if (connections.size >= max) closeOldest(fullest())
      const connection = { socket, opener, requests: 0 } as Connection
      connections.set(socket, connection)
      join(connection, opener)
      connection.isOver = isOver(connection)
      socket.once('close', () => remove(connection))
    },
    admit(socket, peer) {
      const connection = connections.get(socket)
      // It was closed just now, so nobody will read the response.
      if (connection === undefined) return false
      if (typeof connection.opener === 'symbol' && peer !== null) {
        move(connection, peer)
        const [other] = connection.group.idle
        // Others of this peer that only wait go first, but one that has just come does not close itself.
        const isFull = connection.group.size > maxOfPeer
        if (isFull && (other === connection || !closeOldest(connection.group))) {
          move(connection, connection.opener)
          return false
        }
      }
      connection.isOver &&= isOver(connection)
      return !connection.isOver
    },
    release(socket) {
      const connection = connections.get(socket)
      if (connection !== undefined) move(connection, connection.opener)
    },
    work(socket) {
      const connection = connections.get(socket)
      if (connection === undefined) return () => {}
      setRequests(connection, 1)
      let isDone = false
      return () => {
        if (isDone) return
        isDone = true
        setRequests(connection, -1)
      }
    },
  }

  function setRequests(connection: Connection, by: number): void {
    connection.requests += by
    if (!connections.has(connection.socket)) return
    const { group } = connection
    change(group, () => {
      if (connection.requests === 0) group.idle.add(connection)
      else group.idle.delete(connection)
    })
  }
}
