import type { Clock } from '#core/ports'
import { orUnavailable, type StateTable } from '#core/state-table'
import { DAY_MS } from '#core/time'

export const DELETION_KINDS = ['project', 'account'] as const
type DeletionKind = (typeof DELETION_KINDS)[number]

/** A deleted project or account whose data goes when it is due. */
export type Deletion = { kind: DeletionKind; id: string; due: number }
/** A project whose events are still in the lake, and nothing else of it is left. */
export type LakeDeletion = { project_id: string; bucket: number }

/** How long the data of a deleted project or account is kept (contract 7, U14). */
export const KEPT_DELETED_MS = 30 * DAY_MS

/** One partition for the list: deletions are rare. */
const PK = 'deletions'
const LAKE = 'lake#'
const MAX_DUE = 25

/**
 * What was deleted and still has data: an item each, ordered by the time when the data goes. The item is written before
 * the project or account is marked as deleted, so that a crash in between forgets nothing; who works the list off checks
 * the mark.
 */
export function createDeletionList({ client, table, clock }: StateTable & { clock: Clock }) {
  async function add(kind: DeletionKind, id: string): Promise<void> {
    const due = clock.now() + KEPT_DELETED_MS
    await orUnavailable(
      client.put({ TableName: table, Item: { ...keyOf({ kind, id, due }), kind, id, due } }),
    )
  }

  /** The first entries that are due, the oldest first. */
  async function due(): Promise<Deletion[]> {
    const items = await query('due#', `due#${digits(clock.now())}~`)
    return items.map(({ kind, id, due }) => ({ kind, id, due }) as Deletion)
  }

  async function remove(deletion: Deletion): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: keyOf(deletion) }))
  }

  /** Hands a project on to the lake. The list keeps it until `finishLake`. */
  async function addLake({ project_id, bucket }: LakeDeletion): Promise<void> {
    const Item = { pk: PK, sk: LAKE + project_id, project_id, bucket }
    await orUnavailable(client.put({ TableName: table, Item }))
  }

  /** Projects whose events the lake must forget. */
  async function dueInLake(): Promise<LakeDeletion[]> {
    const items = await query(LAKE, `${LAKE}~`)
    return items.map(({ project_id, bucket }) => ({ project_id, bucket }) as LakeDeletion)
  }

  /** No object of the lake has rows of this project any more. */
  async function finishLake(project_id: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: { pk: PK, sk: LAKE + project_id } }))
  }

  async function query(from: string, to: string): Promise<Record<string, unknown>[]> {
    const { Items = [] } = await orUnavailable(
      client.query({
        TableName: table,
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: { ':pk': PK, ':from': from, ':to': to },
        ConsistentRead: true,
        Limit: MAX_DUE,
      }),
    )
    return Items
  }

  return { add, due, remove, addLake, dueInLake, finishLake }
}

export type DeletionList = ReturnType<typeof createDeletionList>

function keyOf({ kind, id, due }: Deletion) {
  return { pk: PK, sk: `due#${digits(due)}#${kind}#${id}` }
}

/** Texts of equal length compare as their numbers. */
function digits(ms: number): string {
  return String(ms).padStart(14, '0')
}
