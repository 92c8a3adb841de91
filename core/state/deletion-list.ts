import type { Now } from '#core/ports'
import { DAY_MS } from '#core/time'
import { queryPages } from './query-all.ts'
import { conditionHeld, orUnavailable, type StateTable } from './state-table.ts'

export const DELETION_KINDS = ['project', 'account'] as const
type DeletionKind = (typeof DELETION_KINDS)[number]

/** A deleted project or account whose data goes when it is due. */
export type Deletion = { kind: DeletionKind; id: string; due: number }
/**
 * A project whose events are still in the lake, and nothing else of it is left. `number`: of its tombstone;
 * null before it has one.
 */
export type LakeDeletion = { project_id: string; bucket: number; number: number | null }

/** How long the data of a deleted project or account is kept (U14). */
export const KEPT_DELETED_MS = 30 * DAY_MS

/** One partition for the list: deletions are rare. */
const PK = 'deletions'
const LAKE = 'lake#'
/** Entries of one page. */
const PAGE = 100

/**
 * What was deleted and still has data: an item each, ordered by the time when the data goes. The item is
 * written before the project or account is marked as deleted, so that a crash in between forgets nothing; who
 * works the list off checks the mark.
 */
export function createDeletionList({ client, table, clock }: StateTable & { clock: Now }) {
  async function add(kind: DeletionKind, id: string): Promise<void> {
    const due = clock.now() + KEPT_DELETED_MS
    await orUnavailable(
      client.put({ TableName: table, Item: { ...keyOf({ kind, id, due }), kind, id, due } }),
    )
  }

  /** The entries that are due, the oldest first, in pages. */
  async function* due(): AsyncGenerator<Deletion[]> {
    for await (const items of pages('due#', `due#${digits(clock.now())}~`))
      yield items.map(({ kind, id, due }) => ({ kind, id, due }) as Deletion)
  }

  async function remove(deletion: Deletion): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: keyOf(deletion) }))
  }

  /** Hands a project on to the lake, unless that was done before. The list keeps it until `finishLake`. */
  async function addLake({ project_id, bucket }: Omit<LakeDeletion, 'number'>): Promise<void> {
    const Item = { pk: PK, sk: LAKE + project_id, project_id, bucket }
    const ConditionExpression = 'attribute_not_exists(pk)'
    await conditionHeld(client.put({ TableName: table, Item, ConditionExpression }))
  }

  /** Notes the tombstone of a project. */
  async function noteTombstone({ project_id, bucket, number }: LakeDeletion): Promise<void> {
    const Item = { pk: PK, sk: LAKE + project_id, project_id, bucket, number }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  /** Projects whose events the lake must forget, in pages. */
  async function* dueInLake(): AsyncGenerator<LakeDeletion[]> {
    for await (const items of pages(LAKE, `${LAKE}~`))
      yield items.map(
        ({ project_id, bucket, number = null }) => ({ project_id, bucket, number }) as LakeDeletion,
      )
  }

  /** No object of the lake has rows of this project any more. */
  async function finishLake(project_id: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: PK, sk: LAKE + project_id } }))
  }

  function pages(from: string, to: string) {
    return queryPages(
      { client, table },
      {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': PK, ':from': from, ':to': to },
        ConsistentRead: true,
        Limit: PAGE,
      },
    )
  }

  return { add, due, remove, addLake, noteTombstone, dueInLake, finishLake }
}

export type DeletionList = ReturnType<typeof createDeletionList>

function keyOf({ kind, id, due }: Deletion) {
  return { pk: PK, sk: `due#${digits(due)}#${kind}#${id}` }
}

/** Texts of equal length compare as their numbers. */
function digits(ms: number): string {
  return String(ms).padStart(14, '0')
}
