import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { limitBody } from './limit-body.ts'

/** Longest wait for an answer, ms; the caller's signal ends a request earlier. */
const RESPONSE_MS = 30_000
const CONNECT_MS = 2_000

/**
 * The client of Bedrock: HTTP/1.1 and one attempt, because the analysis has its own words when there is no
 * answer. Region, credentials and, in tests, AWS_ENDPOINT_URL_BEDROCK_RUNTIME are those of the environment.
 */
export function createBedrockClient(overrides: { endpoint?: string; region?: string } = {}) {
  const handler = new NodeHttpHandler({
    connectionTimeout: CONNECT_MS,
    requestTimeout: RESPONSE_MS,
    throwOnRequestTimeout: true,
  })
  return new BedrockRuntimeClient({ requestHandler: limitBody(handler), maxAttempts: 1, ...overrides })
}
