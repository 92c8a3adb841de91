import type { Export, ExportFile } from '#core/exports/export'
import { expiryOf } from '#core/exports/export-store'
import { type Exports, exportNotFound } from '#core/exports/exports'
import { type ExportSummary, summaryOf } from '#core/exports/summary'
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
      ...toCommon(summaryOf(made), project),
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

    listExports: chain(routes.listExports)(async ({ project, query }) => {
      const page = await exports.list(project, query)
      const shown = page.exports.map(each => toCommon(each, project))
      return { status: 200, body: { project: project.name, exports: shown, next_before: page.next_before } }
    }),

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
        'Content-Type': name.endsWith('.json') ? 'application/json' : 'application/vnd.apache.parquet',
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

function toCommon(summary: ExportSummary, project: Project) {
  const { id, status, reason, first, last, datasets, events, bytes, created_at, finished_at } = summary
  return {
    ...{ id, project: project.name, project_id: project.id, status },
    message: reason ?? null,
    period: first === undefined || last === undefined ? null : { from: first, to: last },
    datasets,
    events,
    bytes,
    created_at,
    finished_at: finished_at ?? null,
    expires_at: expiryOf(summary),
  }
}
