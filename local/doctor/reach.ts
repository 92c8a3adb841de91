import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { type ProbeAnswer, probeAnswer } from '#local/watch/probes'

/** The certificate of the public address. `problem`: why a browser refuses it; null when it does not. */
export type Certificate = { validUntil: number; problem: string | null }

/** What an answer of the public address shows. */
export type Reach = {
  address: string
  /** Null: no connection, or no answer; then `failure` says why. */
  status: number | null
  failure: string | null
  /** Null: not https, or no connection. */
  certificate: Certificate | null
  /** What the service saw; null when another program answered. */
  probe: ProbeAnswer | null
  /** The `Date` of the answer, Unix ms. */
  date: number | null
}

const TIMEOUT_MS = 10_000
/** Longest answer that is read, characters. */
const MAX_ANSWER = 10_000

/**
 * Asks for a path of the service at its public address, as a visitor would, from this machine. `path`: of a
 * probe (local/watch/probes.ts); null: the service could not open one. Never rejects.
 */
export async function reachPublicAddress(baseUrl: string, path: string | null): Promise<Reach> {
  const reach: Reach = {
    address: baseUrl,
    status: null,
    failure: null,
    certificate: null,
    probe: null,
    date: null,
  }
  const url = new URL(path ?? '/health', baseUrl)
  try {
    const response = await get(url, certificate => {
      reach.certificate = certificate
    })
    reach.status = response.status
    const date = Date.parse(response.headers.date ?? '')
    reach.date = Number.isNaN(date) ? null : date
    reach.probe = parseProbe(response.text)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    reach.failure = code === undefined ? message : `${code}: ${message}`
  }
  return reach
}

function parseProbe(text: string): ProbeAnswer | null {
  try {
    return probeAnswer.parse(JSON.parse(text))
  } catch {
    return null
  }
}

type Answer = { status: number; headers: IncomingMessage['headers']; text: string }

/** A certificate that no browser takes is a finding, not an end: the answer behind it is read, too. */
function get(url: URL, onCertificate: (certificate: Certificate) => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, rejectUnauthorized: false, agent: false as const }
    const asked = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, response => {
      const socket = response.socket as TLSSocket
      if (url.protocol === 'https:') onCertificate(certificateOf(socket))
      let text = ''
      response.setEncoding('utf8')
      response.on('data', chunk => {
        text = (text + chunk).slice(0, MAX_ANSWER)
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    asked.on('timeout', () => asked.destroy(new Error(`no answer within ${TIMEOUT_MS / 1_000} s`)))
    asked.on('error', reject)
    asked.end()
  })
}

function certificateOf(socket: TLSSocket): Certificate {
  const { authorized, authorizationError } = socket
  return {
    validUntil: Date.parse(socket.getPeerCertificate().valid_to),
    problem: authorized ? null : String(authorizationError),
  }
}
