import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '#core/errors'
import { errorResponse } from '#lambdas/http/response'

/**
 * Responds to bytes that are not an HTTP request. Node has no response object for them, so the text is
 * written by hand.
 */
export function respondToMalformed(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const reason = REASONS[error.code ?? ''] ?? INVALID
  const { status, headers, body } = errorResponse(reason, 'routing', () => {})
  const lines = Object.entries({ ...headers, 'Content-Length': Buffer.byteLength(body), Connection: 'close' })
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  )
}

const INVALID = new ApiError('INVALID_BODY', 'The request is not valid HTTP. Send HTTP/1.1.')
const REASONS: Record<string, ApiError> = {
  HPE_HEADER_OVERFLOW: new ApiError(
    'INVALID_BODY',
    'The request line and the headers are larger than 16 kB. Send shorter headers.',
  ),
  ERR_HTTP_REQUEST_TIMEOUT: new ApiError(
    'REQUEST_TIMEOUT',
    'The request took longer than 30 s to arrive. Send it again, in smaller parts if needed.',
  ),
}
