declare module 'kinesalite' {
  import type { Server } from 'node:http'

  /** A server that speaks Kinesis; without a path its streams are in memory. */
  export default function kinesalite(options?: {
    createStreamMs?: number
    deleteStreamMs?: number
    updateStreamMs?: number
    shardLimit?: number
  }): Server
}
