import { CommandError } from '#cli/errors'

/** What the script tag of a project says. */
export type Snippet = {
  src: string
  project: string
  token: string
  /** The site runs on the machine of a developer, where the tracker sends nothing unless it is told to. */
  isLocal?: boolean
}

/** The service writes it so. Nothing else gets into a site, whatever a foreign service answers. */
const TAG =
  /^<script defer src="(https?:\/\/[\w.:/[\]~%-]+\/tracker\.js)" data-project="([A-Za-z0-9._-]{1,64})" data-token="(aat_[0-9a-f]{48})"><\/script>$/

/** Reads the snippet of POST /projects. Throws CommandError for any other text. */
export function parsedSnippet(text: string): Snippet {
  const [, src, project, token] = TAG.exec(text) ?? []
  if (src !== undefined && project !== undefined && token !== undefined) return { src, project, token }
  throw new CommandError({
    error: 'UNEXPECTED_ANSWER',
    message: 'The service sent a snippet of another form, so nothing was written.',
    suggested_action: 'Put the snippet into the head of each page: footfall create prints it.',
  })
}

/** Attributes that tell the tracker of routes without page loads. */
export const SPA = { 'data-track-spa': 'true' } as const

/** The tag for HTML. `extra`: attributes at its end; `flags`: words at its beginning. */
export function scriptTag(snippet: Snippet, extra: Record<string, string> = {}, flags = 'defer'): string {
  return `<script ${flags} ${attributes(snippet, extra)}></script>`
}

/** The attributes as HTML and JSX write them. */
export function attributes(
  { src, project, token, isLocal }: Snippet,
  extra: Record<string, string> = {},
): string {
  const local = isLocal === true ? { 'data-localhost': 'true' } : {}
  const all = { src, 'data-project': project, 'data-token': token, ...local, ...extra }
  return Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(' ')
}

export type FoundSnippet = { path: string; token: string; project: string | null }

/** The snippet in a file of the site, in HTML, JSX or an object of JavaScript. */
export function snippetIn(path: string, text: string): FoundSnippet | null {
  const [token] = /\baat_[0-9a-f]{48}\b/.exec(text) ?? []
  if (token === undefined || !text.includes('data-token')) return null
  const [, project = null] = /data-project["']?\s*[:=]\s*[{"'`]+([A-Za-z0-9._-]{1,64})/.exec(text) ?? []
  return { path, token, project }
}
