import { createMcpHandler } from '@modelcontextprotocol/server'
import type { JsonObject } from '#core/text/json-object'
import { authenticate } from '#lambdas/chain/authenticate'
import { createChain } from '#lambdas/chain/chain'
import { readBody } from '#lambdas/chain/read-body'
import { requireCredential } from '#lambdas/chain/require-credential'
import { validateFields } from '#lambdas/chain/validate-fields'
import type { HttpFunction, HttpResponse } from '#lambdas/http/http'
import { httpFunction } from '#lambdas/http/http-function'
import { BASE_HEADERS } from '#lambdas/http/response'
import { routes } from '#schemas/routes'
import { checkOrigin } from './check-origin.ts'
import { keyAsBearer } from './key-as-bearer.ts'
import { createRowCaller } from './row-caller.ts'
import { createServer } from './server.ts'
import type { McpServices } from './services.ts'

/**
 * POST /mcp: the Model Context Protocol over Streamable HTTP, without sessions (docs/agents.md). The SDK
 * serves the revision 2026-07-28 and, to clients that still shake hands, the one before it. Each request has
 * a server of its own, so nothing of one caller is left for the next.
 */
export function mcpHandler(services: McpServices): HttpFunction {
  const { baseUrl, functions, log } = services
  const chain = createChain(log)
    .step(checkOrigin(baseUrl))
    .step(readBody)
    .step(keyAsBearer)
    .step(authenticate(services))
    .step(requireCredential)
    .step(validateFields)
  const endpoint = chain.endpoint(routes.mcp, async ({ request, caller, json }) => {
    const call = createRowCaller(functions, request, services)
    const mcp = createMcpHandler(
      () =>
        createServer({ ...services, baseUrl: request.address ?? baseUrl, caller, call, method: json.method }),
      {
        // Nothing changes while a request runs, so there is nothing to listen to.
        maxSubscriptions: 0,
      },
    )
    return toHttpResponse(await mcp.fetch(toWebRequest(baseUrl, request), { parsedBody: withoutNulls(json) }))
  })
  return httpFunction<'mcp'>(log, { mcp: endpoint })
}

/**
 * The message without `params` that is null, and without fields of `params` that are, such as `arguments`: a
 * null counts as absent (R2). `id` stays as it is.
 */
function withoutNulls({ params, ...message }: JsonObject): JsonObject {
  if (params === null || params === undefined) return message
  if (typeof params !== 'object' || Array.isArray(params)) return { ...message, params }
  const given = Object.entries(params).filter(([, value]) => value !== null)
  return { ...message, params: Object.fromEntries(given) }
}

/** Headers that the protocol gives a meaning. */
const PROTOCOL_HEADER = /^mcp-/

/** The request for the SDK. Its body is parsed already, whatever content type it came with (R1). */
function toWebRequest(
  baseUrl: string,
  { headers, signal }: { headers: Record<string, string | undefined>; signal?: AbortSignal },
): Request {
  const ofProtocol = Object.entries(headers).filter(
    (entry): entry is [string, string] => PROTOCOL_HEADER.test(entry[0]) && entry[1] !== undefined,
  )
  return new Request(`${baseUrl}/mcp`, {
    method: 'POST',
    headers: {
      ...Object.fromEntries(ofProtocol),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    ...(signal !== undefined && { signal }),
  })
}

/** One message of a stream of server-sent events. */
const ONLY_EVENT = /^(?:event: message\n)?(?:id: .*\n)?data: (.*)\n\n$/

/**
 * The SDK answers older clients with a stream of one event. Every client also takes the same as JSON, which
 * an HTTP API can send.
 */
async function toHttpResponse(response: Response): Promise<HttpResponse> {
  const text = await response.text()
  const json = ONLY_EVENT.exec(text)?.[1]
  const contentType = json === undefined ? response.headers.get('content-type') : 'application/json'
  return {
    status: response.status,
    headers: {
      ...BASE_HEADERS,
      'Cache-Control': 'no-store',
      ...(contentType !== null && { 'Content-Type': contentType }),
    },
    body: json ?? text,
  }
}
