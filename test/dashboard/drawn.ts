import { type Found, parseMarkup, select, textOf } from './select.ts'

/** A drawn page of the dashboard, and how to read it. */

export type Asked = {
  /** Method and path, such as `GET /stats`. */
  name: string
  url: URL
  status: number
  /** The body of the answer. */
  said: unknown
}

export type Drawn = {
  /** Where the page is. It may have gone elsewhere while it was opened. */
  address: URL
  /** Calls that the page sent, in the order of their answers. */
  asked: readonly Asked[]
  /** The body of the last answer of a call, such as `GET /stats`. It is what the page shows. */
  said<T>(name: string): T
  all(selector: string): Found[]
  textOf(found: Found): string
  texts(selector: string): string[]
  /** The text of the first element of a selector; empty if there is none. */
  text(selector?: string): string
  /** The text of the part of the page that has this name, and of nothing else. */
  region(name: string): string
  /** The cells of a table, row by row. Throws for a table that is not there. */
  cells(table: string): string[][]
  /** Where the first link of this text leads. */
  linkOf(text: string): string
  /** The number of a tile. */
  tile(name: string): string
  /** Elements that only markup of somebody else could make. */
  foreignMarkup(): string[]
}

/** What a text of visitors could become, if it were taken for markup or for an address. */
const FOREIGN = 'img, script, object, embed, iframe, [onerror], [onload], [href^="javascript"], [href^="//"]'

export function drawnOf(html: string, { address, asked }: Pick<Drawn, 'address' | 'asked'>): Drawn {
  const page = parseMarkup(html)
  const all = (selector: string) => select(page, selector)
  const texts = (selector: string) => all(selector).map(textOf)
  const text = (selector = 'main') => texts(selector)[0] ?? ''
  return {
    ...{ address, asked, all, textOf, texts, text },
    said<T>(name: string) {
      const found = asked.findLast(each => each.name === name)
      if (found === undefined) throw new Error(`Asked were ${asked.map(each => each.name)}, not ${name}.`)
      return found.said as T
    },
    region: name => text(`section[aria-label="${name}"]`),
    cells(table) {
      const selector = `table[aria-label="${table}"]`
      if (all(selector).length === 0) throw new Error(`There is no table ${table}. The page says: ${text()}`)
      return all(`${selector} tbody tr`).map(row => select(row, 'th, td').map(textOf))
    },
    linkOf(name) {
      const href = all('a').find(each => textOf(each) === name)?.attribs.href
      if (href === undefined)
        throw new Error(`No link is called ${name}. There are ${texts('a').join(', ')}.`)
      return href
    },
    tile: name => text(`[data-number="${name}"] .num`),
    foreignMarkup: () => all(FOREIGN).map(({ name, attribs }) => `${name} ${JSON.stringify(attribs)}`),
  }
}
