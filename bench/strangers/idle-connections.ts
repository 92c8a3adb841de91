import { type Attack, scaled } from './attack.ts'
import { holdConnections } from './hold-connections.ts'

export const idleConnections: Attack = {
  name: '1 idle connections',
  does: '1,700 connections with half a header each, on a service under `ulimit -n 1500`',
  // The issue saw the process end within 30 s. A request has 30 s to arrive.
  seconds: 40,
  service: { openFiles: 1_500 },
  run: (door, stopping) =>
    holdConnections(
      {
        ...{ port: door.port, from: door.from[0], connections: scaled(1_700, door) },
        first: Buffer.from('GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\n'),
      },
      stopping,
    ),
}
