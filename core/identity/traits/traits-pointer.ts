import { KEEP_RETIRED_MS } from '#core/identity/links/levels'
import { partition } from '#core/identity/links/pointers'
import { traitsKey } from '#core/lake/model/keys'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'

/** One writing of all traits of a project. `parts`: its files. */
type Writing = { writer: string; parts: number }

/** What names the traits files of a project. */
export type TraitsPointer = Writing & {
  /** How often it was changed. */
  version: number
  /** Rows of all files: one or two for each person. */
  rows: number
  /** When they were written, Unix ms. */
  writtenAt: number
  /** Files that were replaced at `at` (Unix ms), oldest first. Running reads may still use them. */
  retired: readonly (Writing & { at: number })[]
}

type OfProject = { id: string; bucket: number }

/** The least age at which files are written anew, ms, and the largest. */
const [MIN_AGE_MS, MAX_AGE_MS] = [60_000, 6 * 3_600_000]
/**
 * The pause between two writings grows by this for each row, ms: to one minute for 2,500 rows. So the cost
 * depends on the number of people, not on the number of requests.
 */
const AGE_OF_ROW_MS = 24

/**
 * When changed traits are to be written, Unix ms: U126 says how old the files may be. At once if the clock
 * was ahead when they were written.
 */
export function nextWriting({ writtenAt, rows }: TraitsPointer, now: number): number {
  if (writtenAt > now) return now
  return writtenAt + Math.min(MAX_AGE_MS, Math.max(MIN_AGE_MS, AGE_OF_ROW_MS * rows))
}

/** When the next replaced file is to be deleted, Unix ms; Infinity without one. */
export function nextDeletion({ retired }: TraitsPointer, keepRetiredMs = KEEP_RETIRED_MS): number {
  return (retired[0]?.at ?? Number.POSITIVE_INFINITY) + keepRetiredMs
}

/** The keys of the files of one writing. */
export function traitsKeys(project: OfProject, { writer, parts }: Writing): string[] {
  return Array.from({ length: parts }, (_, part) => traitsKey(project, { writer, part }))
}

/** Keeps the pointers: one item for each project with traits. */
export function createTraitsPointers({ client, table }: StateTable) {
  /** Null: no traits files were written yet. */
  async function read(projectId: string): Promise<TraitsPointer | null> {
    const Key = keyOf(projectId)
    const Item = await readItem({ client, table }, Key)
    return Item === undefined ? null : (JSON.parse(String(Item.pointer)) as TraitsPointer)
  }

  /**
   * Saves a changed pointer and returns it with its new version. Throws if another process has changed it
   * meanwhile.
   */
  async function save(projectId: string, changed: TraitsPointer): Promise<TraitsPointer> {
    const { version } = changed
    const pointer = { ...changed, version: version + 1 }
    const isSaved = await conditionHeld(
      client.put({
        TableName: table,
        Item: { ...keyOf(projectId), version: pointer.version, pointer: JSON.stringify(pointer) },
        ConditionExpression: version === 0 ? 'attribute_not_exists(pk)' : 'version = :version',
        ...(version > 0 && { ExpressionAttributeValues: { ':version': version } }),
      }),
    )
    if (!isSaved) throw new Error('Another process writes traits files')
    return pointer
  }

  return { read, save }
}

function keyOf(projectId: string) {
  return { pk: partition(projectId), sk: 'traits-files' }
}
