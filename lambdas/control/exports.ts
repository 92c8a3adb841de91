import { type Export, type ExportFile, isEnded } from '#core/exports/export'
import { expiryOf } from '#core/exports/export-store'
import { type Exports, exportNotFound } from '#core/exports/exports'
import type { Project, ProjectDirectory } from '#core/projects/project'
import type { AccountCall, accountChain } from '#lambdas/chain/account-chain'
import { BASE_HEADERS } from '#lambdas/http/response'
import type { Route } from '#schemas/route'
import { routes } from '#schemas/routes'

export type ExportEndpointServices = {
  exports: Pick<Exports, 'start' | 'read' | 'list' | 'remove' | 'download' | 'addressOf'>
  projects: Pick<ProjectDirectory, 'byId'>
  baseUrl: string
}

/** Exports of events as Parquet (docs/api/exports.md). */
export function exportEndpoints(
  { exports, projects, baseUrl }: ExportEndpointServices,
  chain: ReturnType<typeof accountChain>,
) {
  /** The export that the path names, and its project. Throws NOT_FOUND, also for one of a deleted project. */
  async function find({ caller, request }: AccountCall<Route>): Promise<{ made: Export; project: Project }> {
    const id = request.params.id ?? ''
    const made = await exports.read(id, caller.account)
    const project = await projects.byId(made.project_id)
    if (project === null || project.deleted_at !== null) throw exportNotFound(id)
    return { made, project }
  }

  async function toFile(made: Export, file: ExportFile) {
    const { object: _, ...shown } = file
    const address = await exports.addressOf(made, file)
    return {
      ...shown,
      url: address?.url ?? `${baseUrl}/exports/${made.id}/files/${file.name}`,
      url_expires_at: address?.expiresAt ?? null,
    }
  }

  async function toState(made: Export, project: Project) {
    const isDone = made.status === 'done'
    return {
      ...toCommon(made, project),
      files: isDone ? await Promise.all(made.files.map(file => toFile(made, file))) : [],
      days: Object.entries(made.days ?? {})
        .map(([date, events]) => ({ date, events }))
        .toSorted((a, b) => (a.date < b.date ? -1 : 1)),
      erasures_since: new Date(made.created_at).toISOString(),
      caveats: CAVEATS,
    }
  }

  return {
    createExport: chain(routes.createExport)(async ({ project, caller, body }) => ({
      status: 202,
      body: await toState(await exports.start(project, caller.account, body), project),
    })),

    listExports: chain(routes.listExports)(async ({ project }) => ({
      status: 200,
      body: {
        project: project.name,
        exports: (await exports.list(project)).map(made => toCommon(made, project)),
      },
    })),

    readExport: chain(routes.readExport)(async call => {
      const { made, project } = await find(call)
      return { status: 200, body: await toState(made, project) }
    }),

    downloadExport: chain(routes.downloadExport)(async call => {
      const { made } = await find(call)
      const name = call.request.params.name ?? ''
      const body = await exports.download(made, name)
      const headers = {
        ...BASE_HEADERS,
        'Cache-Control': 'no-store',
        'Content-Type': 'application/vnd.apache.parquet',
        'Content-Disposition': `attachment; filename="${name}"`,
      }
      return { status: 200, headers, body }
    }),

    deleteExport: chain(routes.deleteExport)(async call => {
      const { made } = await find(call)
      await exports.remove(made)
      return { status: 200, body: { ok: true as const, deleted: made.id } }
    }),
  }
}

const CAVEATS = [
  'A copy of the files keeps people who are erased later. Delete their events: GET /erasures with `erasures_since` lists them.',
  'An event that arrives after its day was written is in a later export only.',
]

function toCommon(made: Export, project: Project) {
  const { id, status, datasets, created_at } = made
  const dates = Object.keys(made.days ?? made.counted ?? {}).toSorted()
  const [from, to] = [dates[0], dates.at(-1)]
  const events = made.days === null ? rowsOf(made.files) : sum(Object.values(made.days))
  return {
    ...{ id, project: project.name, project_id: project.id, status },
    message: made.reason ?? null,
    period: from === undefined || to === undefined ? null : { from, to },
    datasets,
    events: status === 'failed' ? 0 : events,
    bytes: sum(made.files.map(({ bytes }) => bytes)),
    created_at,
    finished_at: isEnded(made) ? (made.finished_at ?? null) : null,
    expires_at: expiryOf(made),
  }
}

function rowsOf(files: readonly ExportFile[]): number {
  return sum(files.filter(({ dataset }) => dataset === 'events').map(({ rows }) => rows))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
