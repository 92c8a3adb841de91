/** Elements without an end tag. */
export const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
)

/** Elements whose text is no text of the page. */
export const RAW_TEXT: ReadonlySet<string> = new Set('script style'.split(' '))

/** Elements whose content no visitor sees. */
export const INERT: ReadonlySet<string> = new Set('template noscript'.split(' '))

const BLOCKS =
  'address article aside blockquote details div dl fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul'

/** Which open element ends when an element begins (HTML Living Standard, optional tags). */
const CLOSED_BY: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    p: BLOCKS,
    li: 'li',
    dt: 'dt dd',
    dd: 'dt dd',
    option: 'option optgroup',
    optgroup: 'optgroup',
    tr: 'tr tbody tfoot thead',
    td: 'td th tr tbody tfoot',
    th: 'td th tr tbody tfoot',
    thead: 'tbody tfoot',
    tbody: 'tbody tfoot',
    a: 'a',
    button: 'button',
    head: 'body',
  }).map(([open, tags]) => [open, new Set(tags.split(' '))]),
)

/** Whether the open element `open` ends because `tag` begins. */
export function closedBy(tag: string, open: string): boolean {
  return CLOSED_BY.get(open)?.has(tag) ?? false
}
