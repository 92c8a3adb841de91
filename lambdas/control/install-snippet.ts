import type { Project } from '#core/projects/project'

/**
 * What the owner of a new project needs next: the script tag for the page, and a call for the first report.
 * Names and tokens have no characters that are special in HTML or in a shell.
 */
export function installSnippet(
  { name, project_token, allowed_origins }: Pick<Project, 'name' | 'project_token' | 'allowed_origins'>,
  baseUrl: string,
) {
  return {
    snippet: `<script defer src="${baseUrl}/tracker.js" data-project="${name}" data-token="${project_token}"></script>`,
    ...(allowed_origins === '*' && { snippet_note: OPEN_NOTE }),
    api_example: `curl "${baseUrl}/stats?project=${name}&since=7d" -H "Authorization: Bearer YOUR_TOKEN" # or -H "X-API-Key: YOUR_KEY"`,
  }
}

const OPEN_NOTE =
  'Pages of any origin may send events with this token. To accept only your site, set `allowed_origins` to its origin.'
