import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import type { Scan } from './scan.ts'
import type { ScanStore } from './scan-store.ts'

/** The analysis of an account. Throws NOT_FOUND. */
export async function findScan(
  store: Pick<ScanStore, 'find'>,
  id: string,
  { id: account_id }: Pick<Account, 'id'>,
): Promise<Scan> {
  const scan = await store.find({ account_id, id })
  if (scan === null) throw scanNotFound()
  return scan
}

export function scanNotFound(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'There is no such website analysis, or it belongs to somebody else. Check `analysis_id`, and send the `resume_token` of an anonymous one.',
  )
}
