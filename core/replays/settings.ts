import type { Now } from '#core/ports'
import type { Project } from '#core/projects/project'
import { createLookupCache } from '#core/state/lookup-cache'
import { queryItems, queryPages } from '#core/state/query-all'
import { readItem } from '#core/state/read-items'
import { type ItemKey, orUnavailable, type StateTable } from '#core/state/state-table'
import type { ReplaySettings } from '#schemas/replays'
import { REPLAY_PROJECTS, replayListKey, replayPartition } from './item-keys.ts'

/** Replay is off until the owner of a project turns it on. */
export const DEFAULT_SETTINGS: ReplaySettings = {
  enabled: false,
  recording_start: 'immediate',
  mask_inputs: true,
  redact_pii: true,
  mask_text: false,
  mask_selectors: [],
  block_selectors: [],
  ignore_selectors: [],
}

type OwnProject = Pick<Project, 'id' | 'account_id'>

/** A change; an absent field keeps its value. */
type Change = { [Name in keyof ReplaySettings]?: ReplaySettings[Name] | undefined }

/** Uploads ask for each chunk. A change counts in every process after this time, ms. */
const CACHE = { foundMs: 5_000, missingMs: 5_000, maxEntries: 10_000 }

/** Projects that are read at once, for their accounts. */
const ACCOUNTS_PAGE = 200

/**
 * The settings of session replay: one item a project, at most 60 selectors of 200 characters. A project has
 * the item from the first change on, so a project without it has no replays.
 */
export function createReplaySettings({ client, table, clock }: StateTable & { clock: Now }) {
  const cache = createLookupCache(clock, read, CACHE)

  /** The settings of a project; null: it never had any, and has no replays. At most 5 s old. */
  function known(projectId: string): Promise<ReplaySettings | null> {
    return cache.get(projectId)
  }

  async function ofProject(projectId: string): Promise<ReplaySettings> {
    return (await read(projectId)) ?? DEFAULT_SETTINGS
  }

  async function read(projectId: string): Promise<ReplaySettings | null> {
    const Item = await readItem({ client, table }, keyOf(projectId))
    return Item === undefined ? null : { ...DEFAULT_SETTINGS, ...JSON.parse(String(Item.settings)) }
  }

  async function change({ id, account_id }: OwnProject, changes: Change): Promise<ReplaySettings> {
    const changed = Object.entries(changes).filter(([, value]) => value !== undefined)
    const settings: ReplaySettings = { ...(await ofProject(id)), ...Object.fromEntries(changed) }
    const Item = { ...keyOf(id), account_id, settings: JSON.stringify(settings) }
    // The list first: a project with settings is always in it.
    await orUnavailable(
      client.put({
        TableName: table,
        Item: { ...replayListKey({ id, account_id }), project_id: id, account_id },
      }),
    )
    await orUnavailable(client.put({ TableName: table, Item }))
    cache.clear()
    return settings
  }

  /** The ids of the account's projects that ever had settings, deleted ones included. */
  async function ofAccount(accountId: string): Promise<Set<string>> {
    const items = await queryItems({ client, table }, REPLAY_PROJECTS, `${accountId}#`, `${accountId}#~`)
    return new Set(items.map(item => String(item.project_id)))
  }

  /** The accounts with such projects, in the order of their ids, after this one (`''`: all). */
  async function* accounts(after: string): AsyncGenerator<string[]> {
    const query = {
      KeyConditionExpression: 'pk = :pk AND sk > :after',
      // `~` comes after the `#` of the keys of an account, and `0` before every id.
      ExpressionAttributeValues: { ':pk': REPLAY_PROJECTS, ':after': after === '' ? '0' : `${after}~` },
      Limit: ACCOUNTS_PAGE,
    }
    for await (const items of queryPages({ client, table }, query)) {
      yield [...new Set(items.map(item => String(item.account_id)))]
    }
  }

  return { known, ofProject, change, ofAccount, accounts }
}

export type ReplaySettingsStore = ReturnType<typeof createReplaySettings>

function keyOf(projectId: string): ItemKey {
  return { pk: replayPartition(projectId), sk: 'settings' }
}
