import type { FetchedPage } from '#scanner/types'
import type { CorpusPage, CorpusSite } from './corpus-site.ts'

/** The pages of a site as the reader gets them, without a network. */
export function fetchedPages(site: CorpusSite, { isRendered = false } = {}): FetchedPage[] {
  const origin = `https://${site.name}.test`
  return Object.entries(site.pages).flatMap(([path, page]) => {
    const { status, headers, body } = responseOf(page)
    if (status >= 300 && status < 400) return []
    const rendered = isRendered ? site.rendered?.[path] : undefined
    return [
      {
        url: `${origin}${path}`,
        finalUrl: `${origin}${path}`,
        status,
        contentType: 'text/html',
        html: rendered ?? decoded(body, headers['content-type']),
        rendered: rendered !== undefined,
      },
    ]
  })
}

export function responseOf(page: CorpusPage) {
  const { status = 200, headers = {}, body } = typeof page === 'string' ? { body: page } : page
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body }
}

function decoded(body: string | Uint8Array, contentType: string): string {
  if (typeof body === 'string') return body
  const charset = /charset=([\w-]+)/.exec(contentType)?.[1] ?? 'utf-8'
  return new TextDecoder(charset).decode(body)
}
