/** Why a server gave no usable response. */
export type OutboundReason = 'dns' | 'connect' | 'tls' | 'timeout' | 'response' | 'redirects'

/**
 * A fetch that failed for a reason outside of the service. `message` tells it in plain words, without the
 * system's own text, which may have addresses of the network.
 */
export class OutboundFailure extends Error {
  readonly reason: OutboundReason

  constructor(reason: OutboundReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'OutboundFailure'
    this.reason = reason
  }
}
