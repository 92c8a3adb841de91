import { existsSync, readFileSync } from 'node:fs'
import { createDemo } from '#core/access/demo'
import { createLakeConsumer } from '#core/lake/consume/consumer'
import type { Clock, EventStream, Log } from '#core/ports'
import { readOwner } from '#core/projects/owner'
import { createMarks } from '#core/promote/mark'
import { PromotionError, type PromotionTarget } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { createLakeStores, createStores } from '#core/stores'
import { writeAtomically } from '#local/atomic-file'
import { readCredentials, writeCredentials } from '#local/credentials-file'
import { lakeDir, statePath } from '#local/data-folder'
import { emailKeyPath, isEmailKey } from '#local/email-key'
import { createFolderLake } from '#local/lake/folder'
import { FolderError, type FolderLock, lockFolder } from '#local/lock'
import { connectState, openState } from '#local/state/state'
import { openStorage } from '#local/storage'
import type { Arrival } from './arrival.ts'

export type FolderTargetSettings = {
  dataDir: string
  arrival: Arrival
  /** The stream of the stack. */
  stream: Pick<EventStream, 'shards' | 'read'>
  /** Memory of an upgrade of the lake, MB. */
  compactionMemoryMb: number
  clock: Clock
  log: Log
}

/**
 * A folder as the target of a promotion. What the stack has taken since its consumers were stopped, comes
 * from the stream into the lake of the folder, in the same claims that the consumers would have made: so a
 * run that is killed continues, and nothing is there twice. A folder that is whole is opened again if the
 * stream has more. Throws FolderError when a service runs on the folder and must stop for that.
 */
export async function openTarget(
  settings: FolderTargetSettings,
): Promise<PromotionTarget & { close(): Promise<void> }> {
  const { dataDir, arrival, stream, clock, log } = settings
  const isDone = arrival.note().is_whole && !(await hasRest(settings))
  // A service may run on a folder that is done.
  const lock = isDone ? null : lockForMove(dataDir)
  try {
    if (!isDone) arrival.change({ is_whole: false })
    if (lock !== null) await (await openState(statePath(dataDir))).close()
    const state = connectState(statePath(dataDir))
    const stores = openStores(state, dataDir, clock)
    await followNote(createMarks(state), isDone)
    return {
      state,
      lake: createFolderLake(lakeDir(dataDir)),
      catalog: null,
      texts: promotionTexts.folder,
      service: {
        readEmailKey: async () =>
          existsSync(emailKeyPath(dataDir)) ? readFileSync(emailKeyPath(dataDir), 'utf8') : '',
        async writeEmailKey(key) {
          if (!isEmailKey(key))
            throw new PromotionError(
              'The secret with the key of the e-mail index is not as the stack has made it: 64 letters and digits. Put its first version back (AWSPREVIOUS in Secrets Manager), and run the command again.',
            )
          writeAtomically(emailKeyPath(dataDir), key)
        },
        // The note and the lock keep every service away.
        stopWriters: async () => {},
        areStopped: async () => true,
        async reconcile() {
          await takeRest(stores, stream, clock, log)
          await writeOwner(stores, dataDir, clock)
          return findLost(settings)
        },
        startWriters: async () => arrival.change({ is_whole: true, was_whole: true }),
      },
      async close() {
        await state.close()
        lock?.release()
      },
    }
  } catch (error) {
    lock?.release()
    throw error
  }
}

/**
 * Gives a move up before its folder is whole: the stack runs again, and the next run copies all that is other
 * than before. Throws FolderError for a folder that was whole once: that copy would replace the events that a
 * service has taken on it.
 */
export async function cancelMove(
  dataDir: string,
  arrival: Arrival,
  startStack: () => Promise<void>,
): Promise<void> {
  if (arrival.note().was_whole)
    throw new FolderError(
      `The folder ${dataDir} had everything, so a service may have taken events on it. The stack is not started again.`,
      null,
    )
  const lock = lockForMove(dataDir)
  try {
    const state = await openState(statePath(dataDir))
    const marks = createMarks(state)
    const mark = await marks.read()
    // What the stream had is in the folder perhaps, and the stack now takes it itself.
    if (mark !== null) await marks.note({ ...mark, step: 'begun' })
    await state.close()
    await startStack()
    arrival.change({ is_stopped: false })
  } finally {
    lock.release()
  }
}

function lockForMove(dataDir: string): FolderLock {
  return lockFolder(dataDir, {
    busy: folder =>
      `The stack has taken events since the move, and a service runs on ${folder}. Stop the service, run the same command again, and start the service: it takes seconds.`,
    denied: (folder, reason) =>
      `The folder ${folder} cannot be written (${reason}). Run the command as the user of the service, or as root.`,
  })
}

type MoveStores = ReturnType<typeof openStores>

function openStores(state: ReturnType<typeof connectState>, dataDir: string, clock: Clock) {
  const table = { client: state.client, table: state.table }
  const lake = createFolderLake(lakeDir(dataDir))
  return { ...table, lake, ...createStores(table, clock), ...createLakeStores({ ...table, lake }, clock) }
}

/** Whether the stream of the stack has records that the folder does not have. */
async function hasRest({ dataDir, stream, clock }: FolderTargetSettings): Promise<boolean> {
  const state = connectState(statePath(dataDir))
  try {
    const { lakeState } = openStores(state, dataDir, clock)
    for (const shard of await stream.shards()) {
      const { highWater } = await lakeState.shard(shard)
      if ((await stream.read(shard, highWater, 1)).length > 0) return true
    }
    return false
  } finally {
    await state.close()
  }
}

/**
 * The note of the folder decides whether it is whole: a run may be killed before it changes the mark, too.
 */
async function followNote(marks: ReturnType<typeof createMarks>, isDone: boolean): Promise<void> {
  const mark = await marks.read()
  if (mark === null || mark.step === 'begun' || (mark.step === 'done') === isDone) return
  await marks.note({ ...mark, step: isDone ? 'done' : 'copied' })
}

/** Moves all records of the stack's stream that the folder lacks into its lake, and ends all open claims. */
async function takeRest(
  { lakeState, lake, usage, projects }: MoveStores,
  stream: FolderTargetSettings['stream'],
  clock: Clock,
  log: Log,
): Promise<void> {
  const consumer = createLakeConsumer({ state: lakeState, stream, lake, usage, projects, clock, log })
  for (const shard of await stream.shards()) while ((await consumer.consume(shard)) > 0);
  // Those of shards that the stream has no more.
  for (const { shard, claim, highWater } of await lakeState.shards())
    if (claim !== null) await consumer.finishClaim(shard, claim, highWater)
}

/**
 * Writes the file with which the first start finds the owner; without it that start would replace the owner's
 * API key. Nobody can read the key of the stack, so the file has none.
 */
async function writeOwner(stores: MoveStores, dataDir: string, clock: Clock): Promise<void> {
  const account_id = await readOwner(stores)
  if (account_id === null || readCredentials(dataDir) !== null) return
  const demo = await createDemo({ ...stores, clock }).project()
  const project = demo?.account_id === account_id ? demo : null
  writeCredentials(dataDir, {
    ...{ base_url: '', account_id, api_key: '' },
    ...{ project: project?.name ?? '', project_token: project?.project_token ?? '' },
  })
}

/** Opens the folder as a start does, and returns what the lake lacks then, by its kind. */
async function findLost({ log, ...settings }: FolderTargetSettings): Promise<Record<string, number>> {
  let lost: Record<string, number> = {}
  const storage = await openStorage({
    ...settings,
    log(code, fields) {
      // The stack once came from a machine, and the log of that machine did not come along.
      if (code === 'STREAM_BEHIND') return
      if (code === 'LAKE_BEHIND') lost = fields as Record<string, number>
      log(code, fields)
    },
  })
  await storage.close()
  return lost
}
