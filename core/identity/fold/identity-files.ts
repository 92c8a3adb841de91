import { identityPrefix, parseIdentityKey } from '#core/lake/model/keys'
import { compareSequences, isBeyond } from '#core/lake/model/sequence'
import type { LakeStateStore } from '#core/lake/model/state'
import type { Lake } from '#core/ports'
import { tables } from '#schemas/columns'
import type { FoldHead } from './fold-head.ts'

/** An identity file of one claim. */
export type IdentityFile = { key: string; shard: string; last: string; epoch: number }

/** Epochs that are listed one by one. */
const MAX_LISTED_EPOCHS = 8

/** The identity files in the lake that the fold may not have taken yet, in about the order of arrival. */
export async function listIdentityFiles(
  { lake, state }: { lake: Pick<Lake, 'list'>; state: Pick<LakeStateStore, 'lake'> },
  { epoch }: Pick<FoldHead, 'epoch'>,
): Promise<IdentityFile[]> {
  const { epoch: newest } = await state.lake()
  const count = Math.max(1, newest - epoch + 1)
  const prefixes =
    count > MAX_LISTED_EPOCHS
      ? [`${tables.identity_hot.prefix}/`]
      : Array.from({ length: count }, (_, i) => identityPrefix(epoch + i))
  const objects = (await Promise.all(prefixes.map(prefix => lake.list(prefix)))).flat()
  const files = objects.flatMap(({ key }) => {
    const file = parseIdentityKey(key)
    return file === null ? [] : [{ key, shard: file.shard, last: file.claim.last, epoch: file.claim.epoch }]
  })
  return files.toSorted((a, b) => a.epoch - b.epoch || compareSequences(a.last, b.last))
}

export function isFolded(
  { cursors }: Pick<FoldHead, 'cursors'>,
  { shard, last }: Pick<IdentityFile, 'shard' | 'last'>,
): boolean {
  return !isBeyond(last, cursors[shard] ?? null)
}
