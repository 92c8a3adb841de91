import { idHash } from '#core/identity/links/pointers'
import type { Now } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { orUnavailable, type StateTable } from '#core/state/state-table'
import { DAY_MS } from '#core/time'
import type { ErasedPart } from './erasures.ts'

/** What reads had returned of the person in each project when the erasure was first asked for. */
type Found = Record<string, Required<Pick<ErasedPart, 'events' | 'sessions' | 'replays'>>>

/**
 * How long an erasure that was interrupted is remembered, ms: as long as its hashes beside the links
 * (core/identity/erased-users.ts).
 */
const KEPT_MS = 31 * DAY_MS

/**
 * Erasures that have begun and have not answered. Their events may be hidden already, so reads no longer know
 * the person, and a repeated request would be one for nobody. An item has the hash of the id that the request
 * named, and goes with the answer.
 */
export function createUnfinishedErasures({ client, table, clock }: StateTable & { clock: Now }) {
  async function read(projectId: string, userId: string): Promise<Found | null> {
    const Item = await readItem({ client, table }, keyOf(projectId, userId))
    return Item === undefined ? null : (JSON.parse(String(Item.found)) as Found)
  }

  async function has(projectId: string, userId: string): Promise<boolean> {
    return (await read(projectId, userId)) !== null
  }

  /**
   * Notes that the erasure begins. Returns its parts with what was found of the person now, or when it was
   * asked for before.
   */
  async function begin(
    parts: readonly [ErasedPart, ...ErasedPart[]],
    userId: string,
  ): Promise<[ErasedPart, ...ErasedPart[]]> {
    const projectId = parts[0].project.id
    const before = (await read(projectId, userId)) ?? {}
    const most = ({ project, events, sessions, replays = 0 }: ErasedPart) => {
      const old = before[project.id]
      return {
        project,
        events: Math.max(events, old?.events ?? 0),
        sessions: Math.max(sessions, old?.sessions ?? 0),
        replays: Math.max(replays, old?.replays ?? 0),
      }
    }
    const [first, ...others] = parts
    const merged = [most(first), ...others.map(most)] as const
    const found = Object.fromEntries(merged.map(({ project, ...counts }) => [project.id, counts]))
    const expires_at = Math.ceil((clock.now() + KEPT_MS) / 1_000)
    const Item = { ...keyOf(projectId, userId), found: JSON.stringify(found satisfies Found), expires_at }
    await orUnavailable(client.put({ TableName: table, Item }))
    return [...merged]
  }

  async function end(projectId: string, userId: string): Promise<void> {
    await orUnavailable(client.delete({ TableName: table, Key: keyOf(projectId, userId) }))
  }

  return { has, begin, end }
}

export type UnfinishedErasures = ReturnType<typeof createUnfinishedErasures>

function keyOf(projectId: string, userId: string) {
  return { pk: `erasing#${projectId}`, sk: idHash(userId) }
}
