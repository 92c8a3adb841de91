/**
 * Draws elements of the page as one SVG: boxes with their colour, texts at their places, and pictures. So a
 * table, a funnel or a grid can be saved like a chart. Borders, shadows and fields of forms are left out.
 */

const SVG = 'http://www.w3.org/2000/svg'

/** What an element of SVG looks like, as attributes: the picture is drawn without our style sheet. */
const DRAWN = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-dasharray',
  'opacity',
  'font-size',
  'font-family',
]

/** A copy of an SVG that needs no style sheet. */
export function copyOfSvg(svg: SVGSVGElement): SVGSVGElement {
  const { width, height } = svg.getBoundingClientRect()
  const copy = svg.cloneNode(true) as SVGSVGElement
  const drawn = [svg, ...svg.querySelectorAll('*')]
  const copies = [copy, ...copy.querySelectorAll('*')]
  drawn.forEach((element, i) => {
    const style = getComputedStyle(element)
    for (const name of DRAWN) copies[i]?.setAttribute(name, style.getPropertyValue(name))
  })
  set(copy, { xmlns: SVG, width, height })
  return copy
}

/** The picture of an element with all that is in it, also what has to be scrolled to. */
export function drawElement(root: Element): SVGSVGElement {
  const { left, top, width, height } = root.getBoundingClientRect()
  const picture = create('svg', { width, height, viewBox: `${left} ${top} ${width} ${height}` })
  draw(root, picture)
  return picture
}

function draw(element: Element, into: SVGElement): void {
  const style = getComputedStyle(element)
  const box = element.getBoundingClientRect()
  // An element for screen readers alone has a size of one pixel.
  if (style.visibility === 'hidden' || box.width <= 1 || box.height <= 1) return
  const { left: x, top: y, width, height } = box
  if (element instanceof SVGSVGElement) {
    const copy = copyOfSvg(element)
    set(copy, { x, y })
    into.append(copy)
    return
  }
  const fill = style.backgroundColor
  if (fill !== 'rgba(0, 0, 0, 0)')
    into.append(create('rect', { x, y, width, height, fill, rx: Number.parseFloat(style.borderRadius) || 0 }))
  const isClipping = style.overflowX === 'hidden' || style.overflowX === 'clip'
  const inner = isClipping
    ? create('svg', { x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` })
    : into
  if (isClipping) into.append(inner)
  for (const child of element.childNodes) {
    if (child instanceof Element) draw(child, inner)
    else if (child instanceof Text) drawText(child, style, inner)
  }
}

/** A text line by line, as the browser has broken it. */
function drawText(text: Text, style: CSSStyleDeclaration, into: SVGElement): void {
  const lines = new Map<number, { x: number; y: number; words: string[] }>()
  for (const { index, 0: word } of text.data.matchAll(/\S+/g)) {
    for (const [part, { left, top, height }] of brokenParts(text, index, word)) {
      const line = lines.get(top) ?? { x: left, y: top + height / 2, words: [] }
      // Words of Arabic and Hebrew follow each other to the left.
      line.x = Math.min(line.x, left)
      line.words.push(part)
      lines.set(top, line)
    }
  }
  for (const { x, y, words } of lines.values()) {
    const line = create('text', {
      x,
      y,
      fill: style.color,
      'font-size': style.fontSize,
      'font-family': style.fontFamily,
      'font-weight': style.fontWeight,
      'dominant-baseline': 'central',
    })
    line.textContent = words.join(' ')
    into.append(line)
  }
}

/** A word with its place; one that the browser has broken, as a long name, part by part. */
function brokenParts(text: Text, start: number, word: string): [part: string, box: DOMRect][] {
  const boxOf = (from: number, length: number) => {
    const range = document.createRange()
    range.setStart(text, from)
    range.setEnd(text, from + length)
    return range
  }
  const whole = boxOf(start, word.length)
  if (whole.getClientRects().length <= 1) return [[word, whole.getBoundingClientRect()]]
  const parts = new Map<number, [part: string, box: DOMRect]>()
  let at = start
  for (const letter of word) {
    const box = boxOf(at, letter.length).getBoundingClientRect()
    const known = parts.get(box.top)
    if (known === undefined) parts.set(box.top, [letter, box])
    else parts.set(box.top, [known[0] + letter, box.left < known[1].left ? box : known[1]])
    at += letter.length
  }
  return [...parts.values()]
}

function create<Name extends 'svg' | 'rect' | 'text'>(
  name: Name,
  attributes: Record<string, string | number>,
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(SVG, name)
  set(element, attributes)
  return element
}

function set(element: Element, attributes: Record<string, string | number>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}
