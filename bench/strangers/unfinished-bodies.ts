import { type Attack, scaled } from './attack.ts'
import { holdConnections } from './hold-connections.ts'

/** The largest body that is read. */
const BODY_BYTES = 1_048_576
const HEAD = Buffer.from(
  `POST /track/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: text/plain\r\nContent-Length: ${BODY_BYTES}\r\n\r\n`,
)

export const endlessBodies: Attack = {
  name: '2a endless bodies',
  does: '128 connections with a body of 1 MiB that lacks its last byte',
  seconds: 20,
  run: (door, stopping) =>
    holdConnections(
      {
        ...{ port: door.port, from: door.from[0], connections: scaled(128, door) },
        first: Buffer.concat([HEAD, Buffer.alloc(BODY_BYTES - 1, ' ')]),
      },
      stopping,
    ),
}

/** At this pace a body of 1 MiB is nearly whole when the 30 s of a request are over. */
const DRIP = { bytes: Buffer.alloc(16_384, ' '), everyMs: 500 }

export const slowBodies: Attack = {
  name: '2b slow bodies',
  does: '300 connections with a body of 1 MiB at 32 KB a second each',
  seconds: 30,
  run: (door, stopping) =>
    holdConnections(
      {
        ...{ port: door.port, from: door.from[0], connections: scaled(300, door) },
        ...{ first: HEAD, more: DRIP },
      },
      stopping,
    ),
}
