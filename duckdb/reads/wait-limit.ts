import { queryFailure } from '#core/sql/query-failures'

export type WaitLimit = {
  waitMs: number
  /** What the caller is told after that time. */
  failure: 'busy' | 'guests'
}

/**
 * A signal that takes a statement out of the queue: when its caller leaves, or with UNAVAILABLE after
 * `waitMs`. Nothing aborts it after `end`, because a statement that runs must end before the next one may
 * start.
 */
export function limitWait(
  { waitMs, failure }: WaitLimit,
  caller: AbortSignal,
): { signal: AbortSignal; end(): void } {
  const waiting = new AbortController()
  const leave = (): void => waiting.abort(caller.reason)
  const timer = setTimeout(() => waiting.abort(queryFailure(failure)), waitMs)
  const end = (): void => {
    clearTimeout(timer)
    caller.removeEventListener('abort', leave)
  }
  waiting.signal.addEventListener('abort', end)
  caller.addEventListener('abort', leave)
  if (caller.aborted) leave()
  return { signal: waiting.signal, end }
}
