declare module 'dynalite' {
  import type { Server } from 'node:http'

  /** A server that speaks DynamoDB, with its tables in memory. */
  export default function dynalite(options?: { createTableMs?: number }): Server
}
