import type { LakeState, ShardState } from './state.ts'

/**
 * The first epoch that may get more files: a shard is in it, or has an open claim in it. Read `lake` before
 * `shards`: a shard that is added later joins this epoch or a later one.
 */
export function firstOpenEpoch(
  { epoch: newest }: Pick<LakeState, 'epoch'>,
  shards: readonly Pick<ShardState, 'epoch' | 'claim'>[],
): number {
  return Math.min(newest, ...shards.flatMap(({ epoch, claim }) => [epoch ?? newest, claim?.epoch ?? newest]))
}
