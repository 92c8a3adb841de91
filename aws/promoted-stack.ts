import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3'
import { convertibleEdition, EDITION, EditionError } from '#core/lake/model/edition'
import { FAILED_BATCHES } from '#core/lake/model/keys'
import type { Lake } from '#core/ports'
import { createMarks } from '#core/promote/mark'
import type { CopiedObjects, ObjectSource, SourceObject, TargetService } from '#core/promote/ports'
import { PromotionError, type PromotionSource } from '#core/promote/promote'
import { sourceEpochs } from '#core/promote/source-epochs'
import type { StateTable } from '#core/state/state-table'
import { createS3Lake } from './lake.ts'

export type StackSourceOptions = {
  /** Names the table and the S3 bucket. */
  id: string
  state: StateTable
  s3: S3Client
  bucket: string
  stack: Pick<TargetService, 'readEmailKey' | 'stopWriters' | 'areStopped'>
  copied: CopiedObjects
  /** Whether this run makes the last copy, so that the stack must stop. Otherwise it runs on. */
  isLast: boolean
  /** Whether all that writes was seen to be idle, and how this is noted. */
  stops: { wereSeen(): boolean; note(): void }
  /** Tells the operator what was done. */
  print(line: string): void
}

/**
 * A deployed stack as the source of a promotion, which changes nothing in it. Before the last copy all that
 * writes to table and lake is stopped, and stays so; the functions that answer callers get no call. Ingestion
 * goes on: its events are in the stream, from which the target takes them. Call `assertMovable` before it.
 */
export async function openStackSource(options: StackSourceOptions): Promise<PromotionSource> {
  const { id, state, s3, bucket, stack, copied, isLast, stops, print } = options
  return {
    id,
    copied,
    emailKey: await stack.readEmailKey(),
    objects: bucketObjects(s3, bucket),
    epochs: () => sourceEpochs(state, createS3Lake({ client: s3, bucket })),
    async open() {
      if (isLast && !(stops.wereSeen() && (await stack.areStopped()))) {
        print('The stack stops: it takes events, and answers nothing else. This takes 5 to 20 minutes.')
        await stack.stopWriters()
        stops.note()
        print('Everything that writes in the stack has stopped.')
      }
      return { isSettled: isLast, state, close: async () => {} }
    },
    // It stays stopped: nothing but an operator starts its functions again.
    retire: () => {},
  }
}

/**
 * Throws PromotionError when a stack cannot be moved as it is: it is of another edition or not whole itself,
 * or it has events that nothing would take along.
 */
export async function assertMovable(state: StateTable, lake: Pick<Lake, 'list'>): Promise<void> {
  await assertSameEdition(state)
  const mark = await createMarks(state).read()
  if (mark !== null && mark.step !== 'done')
    throw new PromotionError(
      'A promotion into this stack is not done, so it does not have everything. Finish it first: npm run promote -- --data FOLDER.',
    )
  const failed = await lake.list(FAILED_BATCHES)
  if (failed.length > 0)
    throw new PromotionError(
      `Lambda has given up batches of events (${failed.length}, the first is ${failed[0]?.key}), which would not come along. Put them back as docs/aws.md says (Putting records back), delete these objects, and run the command again.`,
    )
}

/** Throws PromotionError if the stack has data of another edition than this version. */
async function assertSameEdition(state: StateTable): Promise<void> {
  const older = await convertibleEdition(state).catch(error => {
    if (!(error instanceof EditionError)) throw error
    throw new PromotionError(`The stack cannot be moved by this version. ${error.message}`)
  })
  if (older !== null)
    throw new PromotionError(
      `The data of the stack is of edition ${older}, and this version writes edition ${EDITION}. Deploy this version to the stack, and run the command again a few minutes later.`,
    )
}

/** The objects of an S3 bucket. One that is written anew has another entity tag or another time. */
function bucketObjects(s3: S3Client, Bucket: string): ObjectSource {
  return {
    async list() {
      const objects: SourceObject[] = []
      for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket }))
        for (const { Key = '', Size = 0, ETag, LastModified } of Contents)
          objects.push({ key: Key, size: Size, version: `${ETag} ${LastModified?.getTime()}` })
      return objects
    },
    get: key => createS3Lake({ client: s3, bucket: Bucket }).get(key),
  }
}
