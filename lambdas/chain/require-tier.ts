import type { Caller } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Exchange } from './chain.ts'

/** Throws PRO_REQUIRED when the row needs Pro and the account is free. */
export function requireTier({ route, caller }: Exchange & { caller: Caller }): void {
  if (route.tier === 'pro' && caller.tier !== 'pro') throw new ApiError('PRO_REQUIRED')
}
