import type { Project } from '#core/projects/project'
import { isFinished } from '#core/scans/scan'
import type { ScanView } from '#core/scans/scans'
import { type SiteOrigin, siteOriginOf } from '#core/scans/site-origin'
import { writeHandoff } from '#scanner/handoff/write-handoff'
import type { ScanResponse } from '#schemas/scan-requests'
import type { AgentHandoff } from '#schemas/website-scans'
import { installSnippet } from './install-snippet.ts'

type Place = { baseUrl: string; project: Project | null }

/** An analysis as its caller gets it, with what a coding agent needs to install the events. */
export function toScanResponse(view: ScanView, place: Place): ScanResponse {
  const { scan, preview, full, isCached, resumeToken } = view
  const { id, status, stage, mode, url, hostname, created_at, finished_at = null, failure } = scan
  const shown = full ?? preview
  const origin = originOf(view, place)
  return {
    ok: true,
    analysis_id: id,
    status,
    stage,
    mode,
    normalized_url: url,
    hostname,
    project_id: scan.project_id ?? null,
    cached: isCached,
    created_at,
    finished_at,
    ...(resumeToken !== null && { resume_token: resumeToken }),
    ...(failure && { failure: { error: failure.code, message: failure.reason } }),
    ...(preview && { preview: preview.result }),
    ...(full && { result: full.result }),
    coverage: shown?.coverage ?? null,
    changes: shown?.changes ?? [],
    site_origin: origin,
    agent_handoff: handoffOf(view, place),
  }
}

/** Where the site is, for a project that may not take its events. */
function originOf(
  { full, preview }: Pick<ScanView, 'full' | 'preview'>,
  { project }: Pick<Place, 'project'>,
): SiteOrigin | null {
  const result = (full ?? preview)?.result
  return result === undefined || project === null ? null : siteOriginOf(result, project)
}

/** What to do with the result; without one, what to do until there is one. */
function handoffOf(
  { scan, preview, full, resumeToken }: ScanView,
  { baseUrl, project }: Place,
): AgentHandoff {
  const result = (full ?? preview)?.result
  if (result !== undefined) {
    const named = project && { ...project, snippet: installSnippet(project, baseUrl).snippet }
    const isOwned = scan.mode !== 'anonymous_preview'
    const origin = originOf({ full, preview }, { project })
    return writeHandoff(result, {
      analysisId: scan.id,
      resumeToken,
      isOwned,
      baseUrl,
      project: named,
      origin,
    })
  }
  const prompt = isFinished(scan)
    ? `The analysis of ${scan.url} has failed. Start another one: POST ${baseUrl}/website-scans.`
    : `The analysis of ${scan.url} is not finished. Read it again in 5 seconds: GET ${baseUrl}/website-scans/${scan.id}.`
  return { label: `Analysis of ${scan.hostname}`, analysis_id: scan.id, resume_token: resumeToken, prompt }
}
