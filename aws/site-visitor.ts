import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda'
import type { Log } from '#core/ports'
import type { ScanFailure } from '#core/scans/scan'
import type { SiteVisitor } from '#core/scans/visit-site'
import { visitedSite } from '#core/scans/visited-site'

/**
 * The SiteVisitor whose work is done by another function, which has no rights: only what the schema of its
 * answer knows comes back. A function that ends without an answer (a page has taken all its memory or time)
 * is a failed analysis. Rejects if the function cannot be called.
 */
export function createFunctionVisitor({
  client,
  functionName,
  log,
}: {
  client: LambdaClient
  functionName: string
  log: Log
}): SiteVisitor {
  return {
    async visit(visit, { signal, onStage = async () => {} } = {}) {
      await onStage('fetching')
      const { FunctionError, Payload } = await client.send(
        new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(visit) }),
        signal && { abortSignal: signal },
      )
      const answer = Payload === undefined ? '' : Buffer.from(Payload).toString()
      if (FunctionError !== undefined) {
        log('SCAN_BROKEN', { url: visit.url, error: answer.slice(0, 500) })
        return { failure: unreadable(visit.url) }
      }
      await onStage('reading')
      return visitedSite.parse(JSON.parse(answer))
    },
  }
}

function unreadable(url: string): ScanFailure {
  return {
    code: 'SCAN_FAILED',
    reason: `The page ${url} cannot be analysed: reading it took too much time or memory. Check the address, then start another analysis.`,
  }
}
