import { ApiError } from '#core/errors'
import { createOutboundClient } from '#core/outbound/outbound-client'
import type { Clock, Network } from '#core/ports'
import type { StateTable } from '#core/state/state-table'
import { type ClientDocuments, createClientDocuments } from './client-documents.ts'
import { type ClientRegistry, createClientRegistry } from './client-registry.ts'
import type { OAuthClient } from './types.ts'

/**
 * The clients of a service: those that have registered themselves, and those whose documents it fetches from
 * the internet. `baseUrl` tells the owner of a document who asks.
 */
export function openOAuthClients({
  network,
  baseUrl,
  ...state
}: StateTable & { clock: Clock; network: Network; baseUrl: string }): FindOAuthClient {
  const outbound = createOutboundClient({
    network,
    userAgent: `Footfall (+${baseUrl})`,
    clock: state.clock,
  })
  const documents = createClientDocuments({ ...state, outbound })
  return createOAuthClients({ documents, registry: createClientRegistry(state) })
}

/**
 * Finds a client by its id: the https address of its metadata document, or an id of POST /oauth/register.
 * Throws invalid_client for any other, and for a document that cannot be used. `beforeFetch` is awaited
 * before a document is fetched, which anybody can cause.
 */
export function createOAuthClients({
  documents,
  registry,
}: {
  documents: ClientDocuments
  registry: Pick<ClientRegistry, 'find'>
}) {
  return async (id: string | undefined, beforeFetch: () => Promise<void>): Promise<OAuthClient> => {
    if (id === undefined || id === '') {
      throw new ApiError('invalid_request', 'The address has no `client_id`. Start again in your client.')
    }
    const client = /^https:/i.test(id) ? await documents.find(id, beforeFetch) : await registry.find(id)
    if (client === null) {
      throw new ApiError(
        'invalid_client',
        'The client is not known here, or its registration has expired. Remove the connection in your client, and add it again.',
      )
    }
    return client
  }
}

export type FindOAuthClient = ReturnType<typeof createOAuthClients>
