import type { HttpRequest } from '#lambdas/http/http'

const LOOPBACK = /^(::ffff:)?127\.|^::1$/

export type Sender = Pick<HttpRequest, 'headers' | 'ip'>

/** Whether the address is one of this machine: a program here, or a proxy here that forwards for others. */
export function isLoopback(ip: string | null): boolean {
  return LOOPBACK.test(ip ?? '')
}

/**
 * Whether a program of this machine sends the request itself. A proxy on this machine forwards requests of
 * others.
 */
export function isOfThisMachine({ headers, ip }: Sender): boolean {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
  return isLoopback(ip) && !isForwarded
}
