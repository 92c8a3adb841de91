import { expect, test } from 'vitest'
import {
  MAX_ATTRIBUTES,
  MAX_DEPTH,
  MAX_ELEMENTS,
  MAX_VALUE_CHARS,
  parseHtml,
  textOf,
} from '#scanner/read/html-tree'

/** As large as the largest page that the scanner reads. */
const PAGE_CHARS = 5_000_000

function filled(piece: string): string {
  return piece.repeat(Math.floor(PAGE_CHARS / piece.length))
}

function tagsOf(html: string): string[] {
  return parseHtml(html).elements.map(({ tag, parent }) => `${parent?.tag ?? ''}>${tag}`)
}

test('elements without an end tag end where browsers end them', () => {
  expect(tagsOf('<ul><li>a<li>b</ul><p>c<div>d</div>')).toEqual(['>ul', 'ul>li', 'ul>li', '>p', '>div'])
  expect(tagsOf('<table><tr><td>1<td>2<tr><td>3</table>')).toEqual([
    '>table',
    'table>tr',
    'tr>td',
    'tr>td',
    'table>tr',
    'tr>td',
  ])
  expect(tagsOf('<img><br><input><b>x</b>')).toEqual(['>img', '>br', '>input', '>b'])
})

test('an end tag without a start changes nothing', () => {
  expect(tagsOf('<div></span></p></section><b></b></div><i></i>')).toEqual(['>div', 'div>b', '>i'])
})

test('text, entities and attributes are read, and scripts are no text', () => {
  const page = parseHtml(
    `<a href='/a?b=1&amp;c=2' HREF="/other">Prices &amp; plans &euro;</a><script>if (a < b) "<i>"</script>`,
  )
  const [link, script] = page.elements
  expect(link?.attributes.get('href')).toBe('/a?b=1&c=2')
  expect(textOf(page, link!, 50)).toBe('Prices & plans €')
  expect(script?.script).toBe('if (a < b) "<i>"')
  expect(page.texts.join('')).toBe('Prices & plans €')
})

test('what is in a template or in noscript is marked, and its text left out', () => {
  const page = parseHtml('<noscript><a href="/x">no</a></noscript><template><b>no</b></template><i>yes</i>')
  expect(page.elements.filter(({ isInert }) => isInert).map(({ tag }) => tag)).toEqual(['a', 'b'])
  expect(page.texts.join('')).toBe('yes')
})

test('a self-closed element closes within svg alone', () => {
  expect(tagsOf('<svg><path/><path/></svg><div/><b></b>')).toEqual([
    '>svg',
    'svg>path',
    'svg>path',
    '>div',
    'div>b',
  ])
})

test('elements, depth, attributes and values have their bounds, and the page says that it was cut', () => {
  const deep = parseHtml(filled('<div>'))
  expect(deep.elements.length).toBe(MAX_ELEMENTS)
  expect(Math.max(...deep.elements.map(({ depth }) => depth))).toBe(MAX_DEPTH)
  expect(deep.isCut).toBe(true)

  const attributes = Array.from({ length: 1_000 }, (_, i) => `a${i}="${'v'.repeat(5_000)}"`)
  const [element] = parseHtml(`<a ${attributes.join(' ')}>`).elements
  expect(element?.attributes.size).toBe(MAX_ATTRIBUTES)
  expect([...element!.attributes.values()].every(({ length }) => length === MAX_VALUE_CHARS)).toBe(true)
  expect(parseHtml('<p>small</p>').isCut).toBe(false)
})

/** Each would take minutes with a step that is not constant: a search in the stack or in the attributes. */
test.each([
  ['open elements', filled('<div>')],
  ['end tags that find nothing', '<i>'.repeat(800_000) + '</b>'.repeat(600_000)],
  ['attributes of one element', `<a ${Array.from({ length: 600_000 }, (_, i) => `a${i}=1`).join(' ')}>`],
  ['entities', filled('&amp;')],
  ['entities in an attribute', `<a b="${filled('&lt;')}">`],
  ['angle brackets', filled('<')],
  ['comments that do not end', filled('<!--')],
  ['scripts that do not end', `<script>${filled('</scrip ')}`],
  ['digits of an entity', `&#${filled('9')};`],
  ['wrong nesting', filled('<b><i></b></i>')],
  ['paragraph ends', filled('</p>')],
  ['quotes that do not end', filled('<a b="')],
])('five megabytes of %s are read', (_, html) => {
  expect(parseHtml(html).elements.length).toBeLessThanOrEqual(MAX_ELEMENTS)
})
