import type { Project } from '#core/projects/project'

/**
 * What a new project's owner does next: the tag for the page, and a call that asks for the first numbers. Names and
 * tokens have no character that HTML or a shell would read as its own.
 */
export function installSnippet({ name, project_token, allowed_origins }: Project, baseUrl: string) {
  return {
    snippet: `<script defer src="${baseUrl}/tracker.js" data-project="${name}" data-token="${project_token}"></script>`,
    ...(allowed_origins === '*' && { snippet_note: OPEN_NOTE }),
    api_example: `curl "${baseUrl}/stats?project=${name}&since=7d" -H "Authorization: Bearer YOUR_TOKEN" # or -H "X-API-Key: YOUR_KEY"`,
  }
}

const OPEN_NOTE =
  'Pages of any origin may send events with this token. To take them from your site only, set allowed_origins to its origin.'
