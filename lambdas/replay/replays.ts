import { ApiError } from '#core/errors'
import type { Profile } from '#core/limits/profile'
import type { Clock } from '#core/ports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import { listReplays } from '#core/replays/list-replays'
import type { Replays } from '#core/replays/open-replays'
import { type Replay, toRecord } from '#core/replays/replay'
import { quoted } from '#core/text/clean-text'
import type { AccountCall, accountChain } from '#lambdas/chain/account-chain'
import { projectNotFound } from '#lambdas/chain/resolve-project'
import { REPLAY_LIMITS } from '#schemas/replays'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'
import { publicChunks } from './public-chunks.ts'

export type ReplayEndpointServices = Pick<Replays, 'replays' | 'settings' | 'quota' | 'removal' | 'links'> & {
  projects: Pick<ProjectDirectory, 'resolve' | 'list'>
  demo: { project(): Promise<Project | null> }
  profile: Profile
  baseUrl: string
  clock: Clock
}

/** What an account reads and sets of its replays. */
export function replayEndpoints(services: ReplayEndpointServices, chain: ReturnType<typeof accountChain>) {
  const { replays, settings, quota, removal, links, projects, demo, profile, baseUrl, clock } = services

  /** The projects that a call means: the one that it names, or all of the account. */
  async function projectsOf({ caller }: AccountCall<Route>, name: string | undefined): Promise<Project[]> {
    if (caller.credential.kind === 'demo') return [(await demo.project()) ?? []].flat()
    if (name === undefined) return projects.list(caller.account.id)
    const project = await projects.resolve(caller.account.id, name)
    if (project === null) throw projectNotFound(name)
    return [project]
  }

  /** The replay that the path names. Throws NOT_FOUND, also for one of another account. */
  async function find(call: AccountCall<Route>): Promise<Replay> {
    const id = call.request.params.id ?? ''
    const replay = await replays.byId(id)
    const own = replay === null ? [] : await projectsOf(call, undefined)
    const project = own.find(each => each.id === replay?.project_id)
    if (replay === null || project === undefined) {
      throw new ApiError(
        'NOT_FOUND',
        `The account has no replay ${quoted(id)}. GET /replays lists the replays.`,
      )
    }
    Object.assign(call, { project })
    return replay
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
      let deleted = 0
      for (const project of chosen) {
        if ((await settings.known(project.id)) === null) continue
        // First, so that no replay begins meanwhile.
        await settings.change(project, { enabled: false })
        deleted += await removal.removeOfProject(project.id, () => true)
      }
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
