import type { SiteClass } from '#schemas/website-scans'

/** A page of a site of the corpus: a document, or a whole response. */
export type CorpusPage =
  | string
  | { status?: number; headers?: Readonly<Record<string, string>>; body: string | Uint8Array }

export type CorpusSite = {
  /** Its host is `<name>.test`. */
  name: string
  pages: Readonly<Record<string, CorpusPage>>
  /** Pages without end, which are made when somebody asks for them. */
  makePage?: (path: string) => CorpusPage | null
  /** The documents after their scripts have run, by the path, of pages that scripts fill. */
  rendered?: Readonly<Record<string, string>>
  expect: {
    class: SiteClass | readonly SiteClass[]
    /** Events that a full analysis recommends, whatever else it does. */
    events?: readonly string[]
    /** The first event of the plan. */
    first?: string
    /** Events that would say what the tracker says by itself. */
    absent?: readonly string[]
    providers?: readonly string[]
    language?: string
    wall?: 'login' | 'challenge' | 'error' | 'empty'
    isShell?: boolean
  }
}

/** A whole document from the parts that differ. */
export function html(
  {
    lang,
    title,
    description = '',
    head = '',
  }: { lang?: string; title: string; description?: string; head?: string },
  body: string,
): string {
  const meta = description === '' ? '' : `<meta name="description" content="${description}">`
  return `<!doctype html><html${lang === undefined ? '' : ` lang="${lang}"`}><head><meta charset="utf-8"><title>${title}</title>${meta}${head}</head><body>${body}</body></html>`
}

/** A script with structured data of schema.org. */
export function jsonLd(data: Record<string, unknown>): string {
  return `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data })}</script>`
}
