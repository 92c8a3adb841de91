import { type Caller, hasScope } from '#core/access/caller'
import { ApiError } from '#core/errors'
import type { Project } from '#core/projects/project'
import type { ProjectStore } from '#core/projects/store'
import type { Scans, ScanView } from '#core/scans/scans'
import { type AccountCall, type AccountChainServices, accountChain } from '#lambdas/chain/account-chain'
import { authRequired } from '#lambdas/chain/authenticate'
import type { Endpoint } from '#lambdas/chain/chain'
import { publicChain } from '#lambdas/chain/public-chain'
import { projectNotFound } from '#lambdas/chain/resolve-project'
import { sessionCookie } from '#lambdas/http/cookies'
import type { HttpRequest } from '#lambdas/http/http'
import { isOfOtherSite } from '#lambdas/http/third-party'
import { routes } from '#schemas/routes'
import { toScanResponse } from './scan-response.ts'

export type ScanEndpointServices = AccountChainServices & {
  scans: Pick<Scans, 'startAnonymous' | 'start' | 'read' | 'resume' | 'upgrade'>
  projects: Pick<ProjectStore, 'resolve'>
  baseUrl: string
}

type CreateCall = AccountCall<typeof routes.createScan>

/** Website analyses (docs/api/website-scans.md), but for what has arrived, which needs the lake. */
export function scanEndpoints(services: ScanEndpointServices) {
  const { scans, projects, baseUrl } = services
  const ofAccount = accountChain(services)
  const ofAnybody = publicChain({ ...services, challengeUrl: baseUrl })

  async function respond(view: ScanView, { address = baseUrl }: HttpRequest, project?: Project | null) {
    const named = project ?? (await projectOf(view))
    return { status: 200 as const, body: toScanResponse(view, { baseUrl: address, project: named }) }
  }

  /** The project of an analysis, if it still belongs to its account. */
  async function projectOf({ scan }: ScanView): Promise<Project | null> {
    return scan.project_id === undefined ? null : projects.resolve(scan.account_id, scan.project_id)
  }

  /** Throws NOT_FOUND. Undefined: the request names none. */
  async function namedProject({ account }: Caller, name: string | undefined): Promise<Project | undefined> {
    if (name === undefined) return undefined
    const project = await projects.resolve(account.id, name)
    if (project === null) throw projectNotFound(name)
    return project
  }

  async function start({ caller, body, signal, request: sent }: CreateCall) {
    const { url, focus, full, mode } = body
    const project = await namedProject(caller, body.project)
    const request = { url, focus, project, isFull: full === true || mode === 'full' }
    return respond(await scans.start(request, caller.account, signal), sent, project)
  }

  /** A preview for a caller who may only read. It writes nothing of the account but the analysis. */
  function requireWriteScope({ caller, body }: Pick<CreateCall, 'caller' | 'body'>): void {
    const isWrite = body.full === true || body.mode === 'full' || body.project !== undefined
    if (caller.credential.kind === 'demo' || (isWrite && !hasScope(caller, 'projects:write'))) {
      throw new ApiError(
        'FORBIDDEN',
        'A full analysis and one for a project need the scope `projects:write`. Use a credential that has it.',
        { fields: { required_scope: 'projects:write' } },
      )
    }
  }

  /** With a credential a request is one of an account, and a bad credential is refused. */
  function hasCredential(request: HttpRequest): boolean {
    const { authorization, 'x-api-key': apiKey } = request.headers
    const cookie = sessionCookie(baseUrl).read(request)
    return [authorization, apiKey, request.query.key, cookie].some(value => value !== undefined)
  }

  return {
    createScan: eitherWay(
      hasCredential,
      ofAccount(routes.createScan)(async call => {
        requireWriteScope(call)
        return start(call)
      }),
      ofAnybody(routes.createScan)(async ({ body, request, signal }) => {
        const { url, full, mode, focus, project } = body
        if (full === true || mode === 'full' || focus !== undefined || project !== undefined) {
          throw authRequired(baseUrl, 'missing')
        }
        const asked = { url, isOfOtherSite: isOfOtherSite(request, baseUrl) }
        return respond(await scans.startAnonymous(asked, request.ip, signal), request, null)
      }),
    ),

    createProjectScan: ofAccount(routes.createProjectScan)(async call => {
      if (call.body.project === undefined && !call.caller.account.complimentary) {
        // Clients look for the words `project required` (docs/api/website-scans.md).
        throw new ApiError(
          'MISSING_FIELDS',
          'The analysis is for a project: project required. Send its name or id as `project`; GET /projects lists the projects.',
        )
      }
      return start(call)
    }),

    readScan: eitherWay(
      request => request.query.resume_token === undefined && hasCredential(request),
      ofAccount(routes.readScan)(async ({ caller, request }) =>
        respond(await scans.read(request.params.id ?? '', caller.account), request),
      ),
      ofAnybody(routes.readScan)(async ({ query, request }) => {
        if (query.resume_token === undefined) throw authRequired(baseUrl, 'missing')
        return respond(await scans.resume(request.params.id ?? '', query.resume_token), request, null)
      }),
    ),

    upgradeScan: ofAccount(routes.upgradeScan)(async ({ caller, body, request, signal }) => {
      const project = await namedProject(caller, body.project)
      const options = { resumeToken: body.resume_token, project }
      const view = await scans.upgrade(request.params.id ?? '', options, caller.account, signal)
      return respond(view, request, project)
    }),
  }
}

/** A row for accounts and for anybody. */
function eitherWay(
  isOfAccount: (request: HttpRequest) => boolean,
  ofAccount: Endpoint,
  ofAnybody: Endpoint,
): Endpoint {
  return request => (isOfAccount(request) ? ofAccount : ofAnybody)(request)
}
