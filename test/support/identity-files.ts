import { createIdentityFold, type IdentityFoldServices } from '#core/identity/fold/fold'
import { createIdentityStore } from '#core/identity/identity-store'
import { decodeLinks } from '#core/identity/links/link-rows'
import type { IdentityScope } from '#core/identity/scopes'
import { encodeIdentity, type IdentityRow } from '#core/lake/consume/identity-row'
import { identityKey } from '#core/lake/model/keys'
import type { ShardState } from '#core/lake/model/state'
import type { Lake, Log, SqlQuery } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'

export type Identified = Pick<IdentityRow, 'user_id'> & Partial<IdentityRow>

export type IdentitySetUp = {
  state: StateTable
  lake: Lake
  owned: readonly Project[]
  clock: { now(): number }
} & Partial<
  Pick<
    IdentityFoldServices,
    'engine' | 'maxPublicBytes' | 'maxPublicLinkBytes' | 'onRemoved' | 'eraseEvents' | 'leaseMs' | 'lakeState'
  >
>

/**
 * What an engine returns for the statement of core/identity/links/person-ids.ts, if no link moves an id of
 * another file.
 */
export async function personIdRows(lake: Pick<Lake, 'get'>, { params, scans = [] }: SqlQuery) {
  const files = scans.flatMap(scan => scan.files)
  const rows = await Promise.all(files.map(async key => decodeLinks((await lake.get(key)) as Uint8Array)))
  return rows
    .flat()
    .filter(({ scope, linked_id }) => params.includes(scope) && params.includes(linked_id))
    .map(({ previous_id }) => ({ id: previous_id }))
}

/** Writes the requests of a claim as an identity file. */
export function createIdentityWriter(
  lake: Pick<Lake, 'put'>,
  { epoch = () => 1, now }: { epoch?: () => number; now(): number },
) {
  let sequence = 0
  return async (projectId: string, requests: readonly Identified[], shard = 's0'): Promise<void> => {
    const first = ++sequence
    sequence += requests.length
    const rows = requests.map((request, i) => ({
      ...{ previous_id: null, traits: null, email_hash: null, refused: null, hasCredential: true },
      ...{ at: now(), seq: first + i, project_id: projectId },
      ...request,
    }))
    const claim = { first: String(first), last: String(sequence), epoch: epoch() }
    await lake.put(identityKey(shard, claim), encodeIdentity(rows))
  }
}

/** Writes identity files as the lake consumer does, and folds them. */
export function createIdentities({ state, lake, owned, clock, ...options }: IdentitySetUp) {
  const projects = {
    byId: async (id: string) => owned.find(each => each.id === id) ?? null,
    list: async () => owned.filter(each => each.deleted_at === null),
    async noteLinks(id: string, linksAnonymousIds: boolean) {
      for (const each of owned) {
        if (each.id !== id) continue
        each.has_links = true
        each.has_linked_anonymous_ids ||= linksAnonymousIds
      }
    },
  }
  const logged: string[] = []
  const log: Log = code => void logged.push(code)
  const lakeState = {
    epoch: 1,
    lake: async () => ({ epoch: lakeState.epoch }) as never,
    /** Those that tests write files of. */
    shards: async (): Promise<ShardState[]> =>
      ['s0', 's1'].map(shard => ({
        ...{ shard, highWater: null, epoch: lakeState.epoch, claim: null, claimedAt: null },
      })),
  }
  const services = {
    client: state.client,
    table: state.table,
    lake,
    lakeState,
    projects,
    clock,
    log,
    ...options,
  }
  const fold = createIdentityFold(services)
  const identity = createIdentityStore({ client: state.client, table: state.table, lake, projects, clock })
  const write = createIdentityWriter(lake, { epoch: () => lakeState.epoch, now: clock.now })

  async function add(projectId: string, requests: readonly Identified[]): Promise<void> {
    await write(projectId, requests)
    await fold.run()
  }

  /** The final id of each linked id of a scope, by the links files. */
  async function finals(scope: IdentityScope): Promise<Map<string, string>> {
    const opened = await identity.openLinks(scope)
    const next = new Map<string, string>()
    for (const key of opened?.files ?? []) {
      for (const row of await decodeLinks((await lake.get(key)) as Uint8Array)) {
        if (row.scope !== scope.key) continue
        if (next.has(row.previous_id)) throw new Error(`${row.previous_id} has two rows`)
        next.set(row.previous_id, row.linked_id)
      }
    }
    const steps = (id: string, left: number): string => {
      const to = next.get(id)
      if (to === undefined) return id
      if (left === 0) throw new Error(`${id} needs more steps than ${opened?.hops}`)
      return steps(to, left - 1)
    }
    return new Map([...next.keys()].map(id => [id, steps(id, 1 + (opened?.hops ?? 0))]))
  }

  /** All ids of a person, by the links files. */
  async function personIds(scope: IdentityScope, id: string): Promise<string[]> {
    const all = await finals(scope)
    const final = all.get(id) ?? id
    return [
      ...new Set([final, ...[...all].filter(([, to]) => to === final).map(([from]) => from)]),
    ].toSorted()
  }

  return { services, fold, identity, write, add, finals, personIds, lakeState, logged }
}

export type Identities = ReturnType<typeof createIdentities>
