import type { AgentSessionStore } from '#core/access/agent-sessions'
import type { BrowserSessions } from '#core/access/types'
import type { AccountStore } from '#core/accounts/store'
import type { Limits } from '#core/limits/limit-state'
import type { Profile } from '#core/plans/profile'
import type { Clock, Lake } from '#core/ports'
import type { ProjectDirectory } from '#core/projects/project'
import type { StateTable } from '#core/state/state-table'
import type { CredentialKind } from '#schemas/route'
import { createPersonReplays } from './of-person.ts'
import { createRecordedSessions, createReplayCounts } from './of-sessions.ts'
import { createReplayQuota } from './quota.ts'
import { createRecorderVersions } from './recorder-versions.ts'
import { createReplayRemoval } from './remove.ts'
import { createReplaySettings } from './settings.ts'
import { createReplayStarts } from './starts.ts'
import { createReplayStore } from './store.ts'
import { createReplayUpkeep, type UpkeepServices } from './upkeep.ts'
import { createReplayUploads } from './uploads.ts'
import { createViewerLinks } from './viewer-links.ts'

export type ReplayServices = StateTable & {
  projects: Pick<ProjectDirectory, 'byToken' | 'byId'>
  accounts: Pick<AccountStore, 'byId' | 'isLiveKey'>
  agentSessions: Pick<AgentSessionStore, 'isLive'>
  browserSessions: Pick<BrowserSessions, 'isLive'>
  /** The objects of replays, in the bucket or folder of the lake. */
  objects: Lake
  limits: Pick<Limits, 'checkToken'>
  profile: Profile
  clock: Clock
}

/** Session replay of a process, over the state table and the objects. */
export function openReplays({
  client,
  table,
  projects,
  accounts,
  agentSessions,
  browserSessions,
  objects,
  limits,
  profile,
  clock,
}: ReplayServices) {
  const state = { client, table, clock }
  const replays = createReplayStore(state)
  const settings = createReplaySettings(state)
  const quota = createReplayQuota({ ...state, profile })
  const removal = createReplayRemoval({ replays, quota, objects, clock })
  return {
    replays,
    settings,
    quota,
    objects,
    uploads: createReplayUploads({
      ...{ projects, accounts, settings, replays, quota, objects, limits, clock },
      starts: createReplayStarts({ ...state, profile }),
    }),
    removal,
    ofPerson: createPersonReplays({ settings, replays, removal }),
    countReplays: createReplayCounts({ settings, replays }),
    findRecorded: createRecordedSessions({ settings, replays }),
    recorderVersions: createRecorderVersions(state),
    links: createViewerLinks({
      ...state,
      projects,
      replays,
      isLive: checkCredential({ accounts, agentSessions, browserSessions }),
    }),
  }
}

/** Asks whether a credential of an account still counts. */
function checkCredential({
  accounts,
  agentSessions,
  browserSessions,
}: Pick<ReplayServices, 'accounts' | 'agentSessions' | 'browserSessions'>) {
  type Check = (accountId: string, id: string) => Promise<boolean>
  const checks: Record<CredentialKind, Check> = {
    api_key: accounts.isLiveKey,
    agent_session: agentSessions.isLive,
    demo: agentSessions.isLive,
    async cookie(accountId, id) {
      const checks = [accounts.byId(accountId), browserSessions.isLive(accountId, id)] as const
      const [account, isSignedIn] = await Promise.all(checks)
      return account !== null && isSignedIn
    },
    // It opens no replays.
    share_link: async () => false,
  }
  return (accountId: string, { kind, id }: { kind: CredentialKind; id: string }) =>
    checks[kind](accountId, id)
}

export type Replays = ReturnType<typeof openReplays>

/** What deletes replays in a process that only keeps the data in order. */
export function openReplayRemoval({
  profile,
  clock,
  objects,
  ...state
}: StateTable & Pick<ReplayServices, 'profile' | 'clock' | 'objects'>) {
  const replays = createReplayStore({ ...state, clock })
  const quota = createReplayQuota({ ...state, clock, profile })
  return createReplayRemoval({ replays, quota, objects, clock })
}

/** The daily work of session replay in a process (upkeep.ts). */
export function openReplayUpkeep({
  profile,
  clock,
  log,
  deleteDaysBefore,
  ...state
}: StateTable & Pick<UpkeepServices, 'deleteDaysBefore' | 'log' | 'clock'> & { profile: Profile }) {
  const services = { ...state, clock }
  return createReplayUpkeep({
    ...state,
    settings: createReplaySettings(services),
    quota: createReplayQuota({ ...services, profile }),
    deleteDaysBefore,
    clock,
    log,
  })
}
