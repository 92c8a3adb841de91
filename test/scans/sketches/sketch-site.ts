import type { CorpusSite } from '#test/scans/corpus/corpus-site'

/** What a founder of a site of this kind wants of its analysis, written before the code was changed. */
export type Wishes = {
  /** The kinds that its owner would accept. */
  kind: string | readonly string[]
  language: string
  /** Words of the element that the site is for, or a part of its selector. One of them is enough. */
  main: string | readonly string[]
  /** Each must be found in the name, the words or the selector of an event of the plan. */
  wants?: readonly RegExp[]
  /** No event of the plan may have such a name. */
  never?: RegExp
  /** How the owner calls the site. */
  name?: string
  /** The price that the text must not misread; null: it has none that a visitor pays at once. */
  price?: number | null
}

export type SketchedSite = Pick<CorpusSite, 'name' | 'pages'> & { wishes: Wishes }

/**
 * A site from a sketch: a line is an element, and its first word is the tag with its classes and id.
 *
 *     = /path lang Title :: description
 *     header | nav | main | aside | footer          what follows is in it
 *     h1 Words       p Words       head <raw>       < raw
 *     a.class#id /address Words                     b.class#id Words (a button)
 *     form.class /address name:type name * Words    the fields, and the button that sends them; `*` alone: none
 */
export function sketch(name: string, wishes: Wishes, text: string): SketchedSite {
  const pages: Record<string, string> = {}
  for (const part of text.split(/^\s*= /m).slice(1)) {
    const [first = '', ...lines] = part.split('\n').map(line => line.trim())
    const [path = '/', lang = '', ...words] = first.split(' ')
    pages[path] = pageOf({ lang, title: words.join(' '), lines: lines.filter(line => line !== '') })
  }
  return { name, pages, wishes }
}

function pageOf({ lang, title, lines }: { lang: string; title: string; lines: string[] }): string {
  const [words = '', description = ''] = title.split(' :: ')
  const head = lines.filter(line => line.startsWith('head ')).map(line => line.slice(5))
  let landmark = ''
  let body = ''
  for (const line of lines.filter(each => !each.startsWith('head '))) {
    if (/^(header|nav|main|aside|footer)$/.test(line)) {
      body += `${landmark === '' ? '' : `</${landmark}>`}<${line}>`
      landmark = line
    } else body += elementOf(line)
  }
  const meta = description === '' ? '' : `<meta name="description" content="${description}">`
  const attribute = lang === '-' ? '' : ` lang="${lang}"`
  return `<!doctype html><html${attribute}><head><meta charset="utf-8"><title>${words}</title>${meta}${head.join('')}</head><body>${body}${landmark === '' ? '' : `</${landmark}>`}</body></html>`
}

function elementOf(line: string): string {
  const [first = '', ...rest] = line.split(' ')
  const { tag, attributes } = tagOf(first)
  if (tag === '<') return rest.join(' ')
  if (tag === 'a') return `<a${attributes} href="${rest[0]}">${rest.slice(1).join(' ')}</a> `
  if (tag === 'b') return `<button${attributes} type="button">${rest.join(' ')}</button> `
  if (tag === 'form') return formOf(attributes, rest)
  return `<${tag}${attributes}>${rest.join(' ')}</${tag}>`
}

function tagOf(text: string): { tag: string; attributes: string } {
  const tag = /^[^.#]+/.exec(text)?.[0] ?? 'div'
  const classes = [...text.matchAll(/\.([^.#]+)/g)].map(match => match[1])
  const id = /#([^.#]+)/.exec(text)?.[1]
  return {
    tag,
    attributes: `${classes.length === 0 ? '' : ` class="${classes.join(' ')}"`}${id === undefined ? '' : ` id="${id}"`}`,
  }
}

function formOf(attributes: string, [action = '', ...rest]: readonly string[]): string {
  const end = rest.indexOf('*')
  const fields = rest.slice(0, end).map(field => {
    const [name = '', type = 'text'] = field.split(':')
    if (type === 'textarea') return `<textarea name="${name}"></textarea>`
    if (type === 'select') return `<select name="${name}"><option>1</option></select>`
    return `<input name="${name}" type="${type}">`
  })
  const words = rest.slice(end + 1).join(' ')
  const button = words === '' ? '' : `<button type="submit">${words}</button>`
  return `<form${attributes} action="${action}" method="post">${fields.join('')}${button}</form>`
}
