import { type Reader, type ReadResult, receiptHeader } from '#core/reports/run/read'
import type { accountChain } from '#lambdas/chain/account-chain'
import type { Exchange } from '#lambdas/chain/chain'
import { RECEIPT_HEADER } from '#schemas/read-options'

/** What the endpoints of reads have in common: the chain of their checks, and the reader that runs them. */
export type ReadEndpoint = Reader & { chain: ReturnType<typeof accountChain> }

/**
 * The response of a read, with its receipt in the headers. A dry run has a body of its own, which the rows do
 * not name; schemas/openapi.ts adds it to them.
 */
export function respond<Body>(
  { headers }: Pick<Exchange, 'headers'>,
  { body, receipt }: ReadResult<Body>,
): { status: 200; body: Body } {
  headers[RECEIPT_HEADER] = receiptHeader(receipt)
  return { status: 200, body: body as Body }
}
