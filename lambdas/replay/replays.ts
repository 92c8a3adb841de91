import { forEachConcurrent } from '#core/async/concurrency'
import { ApiError } from '#core/errors'
import type { Profile } from '#core/plans/profile'
import type { Now } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { listReplays } from '#core/replays/list-replays'
import type { Replays } from '#core/replays/open-replays'
import { type Replay, toRecord } from '#core/replays/replay'
import { quoted } from '#core/text/clean-text'
import type { AccountCall, accountChain } from '#lambdas/chain/account-chain'
import { projectNotFound } from '#lambdas/chain/resolve-project'
import { projectsOfCaller } from '#lambdas/http/caller-projects'
import { REPLAY_LIMITS } from '#schemas/replays'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { publicChunks } from './public-chunks.ts'

export type ReplayEndpointServices = Pick<Replays, 'replays' | 'settings' | 'quota' | 'removal' | 'links'> & {
  projects: Pick<ProjectDirectory, 'resolve' | 'list' | 'byId'>
  demo: { project(): Promise<Project | null> }
  profile: Profile
  baseUrl: string
  clock: Now
}

/** Projects whose recording is stopped at the same time. */
const CONCURRENCY = 8

/** What an account reads and sets of its replays. */
export function replayEndpoints(services: ReplayEndpointServices, chain: ReturnType<typeof accountChain>) {
  const { replays, settings, quota, removal, links, projects, demo, profile, baseUrl, clock } = services

  /** The projects that a call means: the one that it names, or all of the account that ever had replays. */
  async function projectsOf({ caller }: AccountCall<Route>, name: string | undefined): Promise<Project[]> {
    if (caller.credential.kind === 'demo') return projectsOfCaller(services, caller)
    if (name === undefined) return recordedProjects(caller.account.id)
    const project = await projects.resolve(caller.account.id, name)
    if (project === null) throw projectNotFound(name)
    return [project]
  }

  async function recordedProjects(accountId: string): Promise<Project[]> {
    const [own, recorded] = await Promise.all([projects.list(accountId), settings.ofAccount(accountId)])
    return own.filter(({ id }) => recorded.has(id))
  }

  /** The replay that the path names. Throws NOT_FOUND, also for one of another account. */
  async function find(call: AccountCall<Route>): Promise<Replay> {
    const id = call.request.params.id ?? ''
    const replay = await replays.byId(id)
    const project = replay && (await projects.byId(replay.project_id))
    const isOwn = project?.deleted_at === null && (await isReadable(call, project))
    if (replay === null || !isOwn) {
      throw new ApiError(
        'NOT_FOUND',
        `The account has no replay ${quoted(id)}. GET /replays lists the replays.`,
      )
    }
    Object.assign(call, { project })
    return replay
  }

  async function isReadable({ caller }: AccountCall<Route>, { id, account_id }: Project): Promise<boolean> {
    if (caller.credential.kind === 'demo') return (await demo.project())?.id === id
    return caller.account.id === account_id
  }

  return {
    listReplays: chain(routes.listReplays)(async call => {
      const { project, session_id, limit, before } = call.query
      const found = await listReplays(replays, await projectsOf(call, project), { limit, before, session_id })
      const now = clock.now()
      return {
        status: 200,
        body: { replays: found.replays.map(each => toRecord(each, now)), next_before: found.next },
      }
    }),

    readReplay: chain(routes.readReplay)(async call => {
      const replay = await find(call)
      return { status: 200, body: { ...toRecord(replay, clock.now()), chunks: publicChunks(replay) } }
    }),

    openReplay: chain(routes.openReplay)(async call => {
      const replay = await find(call)
      const { secret, expiresAt } = await links.open(replay, call.caller)
      return {
        status: 200,
        body: { viewer_url: `${baseUrl}/replay/viewer#${secret}`, expires_at: expiresAt },
      }
    }),

    deleteReplay: chain(routes.deleteReplay)(async call => {
      const replay = await find(call)
      await removal.remove(replay)
      return { status: 200, body: { ok: true as const, deleted: replay.id } }
    }),

    deleteReplays: chain(routes.deleteReplays)(async call => {
      const { project: name } = call.body
      const chosen = await projectsOf(call, name)
      const recorded = await settings.ofAccount(call.caller.account.id)
      const cleared = chosen.filter(({ id }) => recorded.has(id))
      // First, so that no replay begins meanwhile.
      await forEachConcurrent(cleared, CONCURRENCY, async project => {
        const { enabled } = await settings.ofProject(project.id)
        if (enabled) await settings.change(project, { enabled: false })
      })
      const deleted = await removal.removeOfProjects(cleared.map(({ id }) => id))
      return {
        status: 200,
        body: { ok: true as const, deleted, ...(name !== undefined && { project: chosen[0]?.name }) },
      }
    }),

    readReplaySettings: chain(routes.readReplaySettings)(async ({ project }) => ({
      status: 200,
      body: { project: project.name, settings: await settings.ofProject(project.id), limits: REPLAY_LIMITS },
    })),

    updateReplaySettings: chain(routes.updateReplaySettings)(async ({ project, body }) => {
      const { project: _, ...changes } = body
      const changed = await settings.change(project, changes)
      return {
        status: 200,
        body: { ok: true as const, project: project.name, settings: changed, limits: REPLAY_LIMITS },
      }
    }),

    readReplayUsage: chain(routes.readReplayUsage)(async ({ caller: { account } }) => {
      const { committed, reserved, observed } = await quota.read(account)
      const { replay_storage_bytes, replay_ingestion_bytes } = profile
      return {
        status: 200,
        body: {
          storage: {
            committed_bytes: committed,
            reserved_bytes: reserved,
            limit_bytes: replay_storage_bytes,
          },
          rolling_30d_ingestion: { observed_bytes: observed, limit_bytes: replay_ingestion_bytes },
        },
      }
    }),
  }
}
