import { createS3Lake } from '#aws/lake'
import { parseHotKey } from '#core/lake/model/keys'
import { createLakeStateStore } from '#core/lake/model/state-store'
import type { World } from './world.ts'

/** The lake of the deployed stack, as its owner sees it. */
export function openLake({ aws, stack }: World) {
  const lake = createS3Lake({ client: aws.s3, bucket: stack.bucket })
  const state = createLakeStateStore(
    { client: aws.dynamo, table: stack.table },
    { lake, clock: { now: Date.now } },
  )
  const listSegments = async () => (await lake.list('segments/events/')).map(({ key }) => key)
  return {
    listSegments,
    /** All buckets have compacted the epochs before this one. */
    readCompacted: async () => Math.min(...(await state.manifestHeads()).map(({ compacted }) => compacted)),
    /** The epochs of the hot files. Those of compacted epochs stay for a while. */
    listHotEpochs: async () => (await lake.list('hot/')).map(({ key }) => parseHotKey(key)?.claim.epoch ?? 0),
  }
}
