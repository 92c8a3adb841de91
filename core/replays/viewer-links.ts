import type { Caller } from '#core/access/caller'
import type { Now } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import { randomSecret, sha256 } from '#core/secrets/tokens'
import { readItem } from '#core/state/read-items'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state/state-table'
import type { CredentialKind } from '#schemas/route'
import type { Replay } from './replay.ts'
import type { ReplayStore } from './store.ts'

export type ViewerLinkServices = StateTable & {
  projects: Pick<ProjectDirectory, 'byId'>
  replays: Pick<ReplayStore, 'ofProject'>
  /** Whether a credential of the account still counts. */
  isLive(accountId: string, credential: { kind: CredentialKind; id: string }): Promise<boolean>
  clock: Now
}

/** How long an address of the viewer is good, ms. */
export const VIEWER_MS = 3_600_000

/** How often one address may read the events of the session, as each reload of the viewer does. */
export const MAX_READS = 60

const SECRET = /^aav_[0-9a-f]{64}$/

/**
 * The secrets of viewer addresses. A secret is good for one replay and an hour, and only as long as the
 * replay, its project and the credential that has opened it. The state has its hash only.
 */
export function createViewerLinks({ client, table, projects, replays, isLive, clock }: ViewerLinkServices) {
  async function open(
    { id, project_id }: Pick<Replay, 'id' | 'project_id'>,
    { account, credential }: Pick<Caller, 'account' | 'credential'>,
  ): Promise<{ secret: string; expiresAt: number }> {
    const secret = `aav_${randomSecret()}`
    const expiresAt = clock.now() + VIEWER_MS
    const Item = {
      ...keyOf(secret),
      ...{ replay_id: id, project_id, account_id: account.id, valid_until: expiresAt },
      credential_kind: credential.kind,
      credential_id: credential.id,
      expires_at: Math.ceil(expiresAt / 1_000),
    }
    await orUnavailable(client.put({ TableName: table, Item }))
    return { secret, expiresAt }
  }

  /** The replay of a secret, or null: unknown, expired, deleted, or its project or credential is gone. */
  async function find(secret: string): Promise<{ replay: Replay; expiresAt: number } | null> {
    if (!SECRET.test(secret)) return null
    const Item = await readItem({ client, table }, keyOf(secret))
    if (Item === undefined || Number(Item.valid_until) <= clock.now()) return null
    const credential = { kind: Item.credential_kind as CredentialKind, id: String(Item.credential_id) }
    const projectId = String(Item.project_id)
    const [replay, project, isGood] = await Promise.all([
      replays.ofProject(projectId, String(Item.replay_id)),
      projects.byId(projectId),
      isLive(String(Item.account_id), credential),
    ])
    const isReadable = project?.deleted_at === null && isGood
    return replay !== null && isReadable ? { replay, expiresAt: Number(Item.valid_until) } : null
  }

  /** Counts a read of the events of the session. Returns false if the secret has read them too often. */
  function countRead(secret: string): Promise<boolean> {
    return conditionHeld(
      client.update({
        TableName: table,
        Key: keyOf(secret),
        UpdateExpression: 'ADD event_reads :one',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(event_reads) OR event_reads < :max)',
        ExpressionAttributeValues: { ':one': 1, ':max': MAX_READS },
      }),
    )
  }

  return { open, find, countRead }
}

function keyOf(secret: string) {
  return { pk: `replayview#${sha256(secret)}`, sk: 'link' }
}
