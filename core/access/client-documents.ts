import * as z from 'zod'
import { ApiError } from '#core/errors'
import type { OutboundClient } from '#core/outbound/outbound-client'
import { OutboundFailure } from '#core/outbound/outbound-failure'
import type { Now } from '#core/ports'
import { sha256 } from '#core/secrets/tokens'
import { Entity } from '#core/state/entity'
import { orUnavailable, primaryIndex, type StateTable } from '#core/state/state-table'
import { isRedirectList } from '#schemas/oauth'
import { toSeconds } from './token-pairs.ts'
import type { OAuthClient } from './types.ts'

const MAX_BYTES = 5 * 1_024
const MAX_URL_CHARS = 1_024
const TIMEOUT_MS = 5_000
const CACHE_MS = 60 * 60_000

/** The fields that the service uses (RFC 7591). A client with a shared secret cannot be one of a document. */
const metadata = z.object({
  client_id: z.string(),
  client_name: z.string().min(1).max(256).optional().catch(undefined),
  redirect_uris: z.array(z.string()).refine(isRedirectList),
  client_secret: z.undefined().optional(),
  token_endpoint_auth_method: z
    .string()
    .refine(method => !method.startsWith('client_secret_'))
    .optional(),
})

/**
 * Clients whose id is the https address of a document that describes them
 * (draft-ietf-oauth-client-id-metadata-document). Who controls the address controls where answers may go. The
 * fetch goes through the guarded client and follows no redirect. The state table keeps what was read for an
 * hour, with at most ten addresses; a failure is not kept.
 */
export function createClientDocuments({
  client,
  table,
  clock,
  outbound,
}: StateTable & { clock: Now; outbound: Pick<OutboundClient, 'fetch'> }) {
  const documents = clientDocumentEntity({ client, table })

  /**
   * Throws invalid_client with the reason when the address or its document cannot be used. `beforeFetch`:
   * whether the caller may cause a fetch; it throws if not.
   */
  async function find(id: string, beforeFetch: () => Promise<void>): Promise<OAuthClient> {
    requireDocumentAddress(id)
    const hash = sha256(id)
    const { data } = await orUnavailable(documents.get({ hash }).go())
    if (data !== null && data.valid_until > clock.now()) {
      return { id, name: data.client_name ?? null, redirect_uris: data.redirect_uris }
    }
    await beforeFetch()
    const { client_name, redirect_uris } = await read(id)
    const valid_until = clock.now() + CACHE_MS
    const item = {
      hash,
      redirect_uris,
      ...(client_name !== undefined && { client_name }),
      valid_until,
      expires_at: toSeconds(valid_until),
    }
    await orUnavailable(documents.put(item).go())
    return { id, name: client_name ?? null, redirect_uris }
  }

  async function read(id: string) {
    const response = await outbound
      .fetch(id, {
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
        maxRedirects: 0,
        headers: { accept: 'application/json' },
      })
      .catch(error => {
        throw unusable(reasonOf(error))
      })
    if (response.status !== 200) throw unusable(`The address responds with status ${response.status}.`)
    if (response.isCut) throw unusable(`The document has more than ${MAX_BYTES} bytes.`)
    if (!/^application\/([\w.-]+\+)?json\b/i.test(response.headers['content-type'] ?? '')) {
      throw unusable('The document is not `application/json`.')
    }
    const parsed = metadata.safeParse(parseJson(response.body))
    if (!parsed.success) {
      const field = parsed.error.issues[0]?.path[0]
      throw unusable(
        field === undefined
          ? 'The document is not a JSON object.'
          : `The field \`${String(field)}\` of the document cannot be used.`,
      )
    }
    if (parsed.data.client_id !== id) {
      throw unusable('The field `client_id` of the document is not its own address.')
    }
    return parsed.data
  }

  return { find }
}

export type ClientDocuments = ReturnType<typeof createClientDocuments>

/** An https address with a path, without a fragment, a user name or dot segments. */
function requireDocumentAddress(id: string): void {
  const url = URL.parse(id)
  const isUsable =
    id.length <= MAX_URL_CHARS &&
    url?.protocol === 'https:' &&
    url.pathname !== '/' &&
    url.username === '' &&
    url.password === '' &&
    // The text as it stands, so that one client has one id.
    url.href === id &&
    !id.includes('#')
  if (!isUsable) {
    throw unusable(
      `It must be an https address with a path, of at most ${MAX_URL_CHARS} characters, without a fragment.`,
    )
  }
}

/** The guarded client says in plain words why it did not fetch. Other errors are ours. */
function reasonOf(error: unknown): string {
  if (error instanceof OutboundFailure) return error.message
  if (error instanceof ApiError && error.code === 'INVALID_URL') return error.message
  throw error
}

function unusable(reason: string): ApiError {
  return new ApiError(
    'invalid_client',
    `The client id metadata document cannot be used. ${reason} Correct the document, then start again in the client.`,
  )
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return null
  }
}

function clientDocumentEntity({ client, table }: StateTable) {
  return new Entity(
    {
      model: { service: 'footfall', entity: 'clientdocument', version: '1' },
      attributes: {
        /** SHA-256 of the address. */
        hash: { type: 'string', required: true },
        client_name: { type: 'string' },
        redirect_uris: { type: 'list', items: { type: 'string' }, required: true },
        /** Unix ms. The table deletes late. */
        valid_until: { type: 'number', required: true },
        expires_at: { type: 'number', required: true },
      },
      indexes: primaryIndex({ pk: ['hash'], sk: [] }),
    },
    { client, table },
  )
}
