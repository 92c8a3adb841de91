import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import * as z from 'zod'
import type { Now } from '#core/ports'
import type { TrustedProxies } from '#local/http/trusted-proxies'

export type ProbeServices = { proxies: TrustedProxies; clock: Now }

/** What the service has seen of the one request to the path of a probe. */
export const probeAnswer = z.object({
  /** Address of the connection. */
  peer: z.string(),
  /** X-Forwarded-For, as it came. */
  forwarded_for: z.string().nullable(),
  /** Whether TRUSTED_PROXIES has the peer. */
  is_trusted: z.boolean(),
  /** Whom the request counts for. */
  caller: z.string().nullable(),
})

export type ProbeAnswer = z.infer<typeof probeAnswer>

/** `path`: below the address of the service, for one request within the time. */
export const openedProbe = z.object({ path: z.string() })

const PREFIX = '/probe/'
/** How long a path works, ms, and how many work at the same time. */
const KEPT_MS = 60_000
const MAX_OPEN = 16
/** Longest part of a header that an answer repeats, characters. */
const MAX_HEADER = 200

/**
 * Paths that answer what the service sees of their caller, once each. `footfall doctor` opens one over the
 * socket of the machine, and asks for it at the public address: so it learns whether that address leads here,
 * and what the proxy says of its callers.
 */
export function createProbes({ proxies, clock }: ProbeServices) {
  /** When each path was opened, oldest first. */
  const opened = new Map<string, number>()

  return {
    open(): z.infer<typeof openedProbe> {
      const [oldest] = opened.keys()
      if (opened.size >= MAX_OPEN && oldest !== undefined) opened.delete(oldest)
      const path = `${PREFIX}${randomBytes(16).toString('hex')}`
      opened.set(path, clock.now())
      return { path }
    },
    /** Answers an open path and returns true; false for all others. */
    serve({ url = '', headers, socket }: IncomingMessage, response: ServerResponse): boolean {
      const openedAt = opened.get(url)
      if (openedAt === undefined) return false
      opened.delete(url)
      if (Math.abs(clock.now() - openedAt) > KEPT_MS) return false
      const forwardedFor = headers['x-forwarded-for'] as string | undefined
      const { address, isForwarded } = proxies.callerOf(socket.remoteAddress, forwardedFor)
      const body = JSON.stringify({
        peer: socket.remoteAddress ?? '',
        forwarded_for: forwardedFor?.slice(0, MAX_HEADER) ?? null,
        is_trusted: isForwarded,
        caller: address,
      } satisfies ProbeAnswer)
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        'Cache-Control': 'no-store',
      })
      response.end(body)
      return true
    },
  }
}
