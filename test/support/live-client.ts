import { expect } from 'vitest'
import { openEventStream } from './event-stream-client.ts'
import type { Service } from './service-process.ts'
import { HUMAN_USER_AGENT } from './user-agents.ts'

/** The calls of a client of /live and /stream, for the first project of a service. */

export const keyOf = ({ credentials }: Pick<Service, 'credentials'>) => ({
  'X-API-Key': credentials.api_key,
})

/** Opens GET /stream with the API key, and with the headers in `more`. */
export function openStream(service: Service, more: Record<string, string> = {}) {
  const { baseUrl, credentials } = service
  const target = { port: Number(new URL(baseUrl).port) }
  return openEventStream(target, `/stream?project=${credentials.project}`, { ...keyOf(service), ...more })
}

/** Sends an event of the user `u` with the public token, and expects that it is accepted. */
export async function track(
  { baseUrl, credentials }: Service,
  event: string,
  userAgent = HUMAN_USER_AGENT,
): Promise<void> {
  const body = { token: credentials.project_token, event, user_id: 'u', properties: { path: '/live' } }
  const response = await fetch(`${baseUrl}/track`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'User-Agent': userAgent },
  })
  expect(response.status).toBe(202)
}

/** GET /live of the last five minutes. */
export async function readLive(service: Service) {
  const response = await fetch(`${service.baseUrl}/live?window=300`, { headers: keyOf(service) })
  return (await response.json()) as { top_events: unknown[]; active_visitors: number }
}
