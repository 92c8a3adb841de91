import type { ErasureFeed } from '#core/identity/erasure-feed'
import type { Export } from './export.ts'

export type ErasureTimes = Pick<ErasureFeed, 'lastAt'>

/** How far the clocks of two processes may differ, ms. */
const SKEW_MS = 2_000

/**
 * Whether a person of the project was erased after the export began, so that it may have their events.
 * `erasedAt`: the last erasure of the project, Unix ms; null: none.
 */
export function isBeforeErasure(
  { created_at }: Pick<Export, 'created_at'>,
  erasedAt: number | null,
): boolean {
  return erasedAt !== null && erasedAt >= created_at - SKEW_MS
}

/** What such an export becomes. */
export const VOID = {
  status: 'failed',
  reason: 'A person was erased after the export had begun, so its files are deleted. Start it again.',
} as const
