import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createConnections } from '#local/http/connections'
import type { LogCode } from '#schemas/log'

function open(max: number, maxOfPeer: number) {
  const logged: LogCode[] = []
  const connections = createConnections({ max, maxOfPeer, log: code => void logged.push(code) })
  const closed: string[] = []

  /** A connection of the peer, which `closed` names once it was closed. */
  function connect(name: string, peer: string | null) {
    const socket = Object.assign(new EventEmitter(), {
      destroy() {
        closed.push(name)
        socket.emit('close')
        return socket as never
      },
    })
    connections.add(socket, peer)
    return socket
  }
  return { ...connections, connect, closed, logged }
}

describe('over the cap of all', () => {
  test('the oldest idle connection of the fullest peer is closed, and nothing of others', () => {
    const { connect, admit, closed, logged } = open(5, 4)
    const neighbour = connect('n1', 'neighbour')
    for (const name of ['a1', 'a2', 'a3', 'a4']) connect(name, 'attacker')
    expect(closed).toEqual([])
    connect('b1', 'other')
    connect('b2', 'other')
    expect(closed).toEqual(['a1', 'a2'])
    expect(admit(neighbour, 'neighbour')).toBe(true)
    expect(logged).toEqual(['CONNECTIONS_CLOSED'])
  })

  test('a connection with a request that the service works on stays, and is idle again afterwards', () => {
    const { connect, work, closed } = open(3, 3)
    const endWork = work(connect('a1', 'a'))
    connect('a2', 'a')
    connect('a3', 'a')
    connect('b1', 'b')
    expect(closed).toEqual(['a2'])
    endWork()
    endWork()
    connect('b2', 'b')
    // It was busy last, so the other one is idle for longer.
    expect(closed).toEqual(['a2', 'a3'])
    connect('b3', 'b')
    expect(closed).toEqual(['a2', 'a3', 'b1'])
  })

  test('a new connection is refused while all others are busy, and admitted when one has closed', () => {
    const { connect, work, admit, closed } = open(2, 2)
    const busy = connect('a1', 'a')
    work(busy)
    work(connect('b1', 'b'))
    const refused = connect('c1', 'c')
    expect([admit(refused, 'c'), closed]).toEqual([false, []])
    // A flood of refused ones keeps one of them.
    const next = connect('c2', 'c')
    expect([admit(next, 'c'), closed]).toEqual([false, ['c1']])
    busy.destroy()
    expect(admit(next, 'c')).toBe(true)
  })

  test('two thousand peers of one connection each are closed in the order in which they came', () => {
    const { connect, closed } = open(2_000, 500)
    for (let i = 0; i < 4_000; i++) connect(String(i), `peer ${i}`)
    expect(closed).toEqual(Array.from({ length: 2_000 }, (_, i) => String(i)))
  })
})

describe('over the cap of a peer', () => {
  test('its own oldest idle connection is closed, although there is room for others', () => {
    const { connect, closed } = open(100, 2)
    for (const name of ['a1', 'a2', 'a3', 'a4']) connect(name, 'a')
    connect('b1', 'b')
    expect(closed).toEqual(['a1', 'a2'])
  })

  test('busy connections do not let a peer grow: of the new ones each is refused', () => {
    const { connect, work, admit } = open(100, 2)
    work(connect('a1', 'a'))
    work(connect('a2', 'a'))
    expect(Array.from({ length: 50 }, (_, i) => admit(connect(`more ${i}`, 'a'), 'a'))).not.toContain(true)
    expect(admit(connect('b1', 'b'), 'b')).toBe(true)
  })
})

describe('behind a trusted proxy', () => {
  test('connections count for nobody until their request says for whom', () => {
    const { connect, admit, closed } = open(100, 2)
    const sockets = Array.from({ length: 20 }, (_, i) => connect(`p${i}`, null))
    expect(sockets.map((socket, i) => admit(socket, `caller ${i}`))).not.toContain(false)
    expect(closed).toEqual([])
  })

  test('a caller with as many requests as it may have is refused, and others are served on the same connection', () => {
    const { connect, admit, work, release, closed } = open(100, 2)
    const held = [connect('p1', null), connect('p2', null)]
    for (const socket of held) {
      expect(admit(socket, 'attacker')).toBe(true)
      work(socket)
    }
    const third = connect('p3', null)
    expect([admit(third, 'attacker'), admit(third, 'neighbour')]).toEqual([false, true])
    release(held[0] as never)
    expect(admit(connect('p4', null), 'attacker')).toBe(true)
    expect(closed).toEqual([])
  })

  test('half a body of a caller goes before its next request is refused', () => {
    const { connect, admit, closed } = open(100, 2)
    for (const name of ['p1', 'p2', 'p3']) expect(admit(connect(name, null), 'attacker')).toBe(true)
    expect(closed).toEqual(['p1'])
  })
})
