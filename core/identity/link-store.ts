import { hash } from 'node:crypto'
import { queryItems } from '#core/query-all'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { Link } from './links.ts'

/**
 * The links of projects in the state table. A link is stored twice, beside each of its two ids, so that one query finds all links of
 * an id. The links of a project are a set that only grows (until an erasure): adding one again, in any order, changes nothing.
 */
export function createLinkStore(state: StateTable) {
  const { client, table } = state

  /** Adds a link. Of equal links the first one in the order of arrival stays. */
  async function add(projectId: string, link: Link): Promise<void> {
    for (const sk of linkKeys(link)) {
      await conditionHeld(
        client.put({
          TableName: table,
          Item: { pk: partition(projectId), sk, ...link },
          ConditionExpression: 'attribute_not_exists(pk) OR #at > :at OR (#at = :at AND seq > :seq)',
          ExpressionAttributeNames: { '#at': 'at' },
          ExpressionAttributeValues: { ':at': link.at, ':seq': link.seq },
        }),
      )
    }
  }

  /** The links that begin or end at an id. */
  async function linksOf(projectId: string, id: string): Promise<Link[]> {
    return query(projectId, `${idPrefix(id)}`)
  }

  /** The links that begin at an id. */
  async function linksFrom(projectId: string, id: string): Promise<Link[]> {
    return query(projectId, `${idPrefix(id)}to#`)
  }

  /** All links of a project. */
  async function listLinks(projectId: string): Promise<Link[]> {
    const items = await queryItems(state, partition(projectId), LINKS, `${LINKS}~`)
    return items.filter(({ sk }) => String(sk).includes('#to#')).map(toLink)
  }

  async function remove(projectId: string, link: Link): Promise<void> {
    for (const sk of linkKeys(link)) {
      await orUnavailable(client.delete({ TableName: table, Key: { pk: partition(projectId), sk } }))
    }
  }

  async function query(projectId: string, prefix: string): Promise<Link[]> {
    const items = await queryItems(state, partition(projectId), prefix, `${prefix}~`)
    return items.map(toLink)
  }

  return { add, linksOf, linksFrom, listLinks, remove }
}

export type LinkStore = ReturnType<typeof createLinkStore>

/** The partition of all identity items of a project or of a joined scope. */
export function partition(scopeKey: string): string {
  return `identity#${scopeKey}`
}

/** A short text for an id of up to 768 bytes in a key: the first 128 bits of its SHA-256. */
export function idHash(id: string): string {
  return hash('sha256', id).slice(0, 32)
}

const LINKS = 'id#'

function idPrefix(id: string): string {
  return `${LINKS}${idHash(id)}#`
}

function linkKeys({ previous_id, user_id }: Link): [string, string] {
  return [`${idPrefix(previous_id)}to#${idHash(user_id)}`, `${idPrefix(user_id)}from#${idHash(previous_id)}`]
}

function toLink(item: Record<string, unknown>): Link {
  return {
    previous_id: String(item.previous_id),
    user_id: String(item.user_id),
    at: Number(item.at),
    seq: Number(item.seq),
  }
}
