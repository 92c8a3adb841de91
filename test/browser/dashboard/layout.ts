/**
 * What cannot be read in a page, as sentences. It runs in the page, so it uses nothing from outside itself.
 * A text that is broken into lines has room for twelve letters in each, and of one that is cut at its end
 * twelve letters are seen at least. Texts that a reader comes to by scrolling a part of the page, and layers
 * that lie on others on purpose, are left out.
 */
export function faultsOfLayout(): string[] {
  const MIN_LETTERS = 12
  /** Boxes of lines may touch, px: letters have less height than their line. */
  const TOUCH = 3
  const faults: string[] = []
  type Clip = Record<'left' | 'right' | 'top' | 'bottom', number>
  const clips = new Map<Element, Clip>()
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (wide > 0) faults.push(`The page is ${wide} px wider than the screen: ${widest()}`)

  const isSeen = (element: Element) =>
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    element.closest('.hidden, .skip, svg, select, dialog:not([open])') === null
  const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

  type Line = { text: string; element: Element; box: DOMRect }
  const lines: Line[] = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.textContent ?? '').trim()
    const element = node.parentElement
    if (text === '' || element === null || !isSeen(element)) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1)
    if (boxes.length === 0) continue
    const letter = boxes.reduce((sum, { width }) => sum + width, 0) / text.length
    const atLeast = Math.min(text.length, MIN_LETTERS) * letter - TOUCH
    const clip = clippedBy(element)
    const shown = Math.max(
      ...boxes.map(box => Math.min(box.right, clip.right) - Math.max(box.left, clip.left)),
    )
    const isBroken = new Set(boxes.map(({ top }) => Math.round(top))).size > 1
    const room = isBroken ? Math.min(roomOf(element), clip.right - clip.left) : shown
    // The name of a row is read beside numbers that are scrolled.
    const isName = element.closest('th[scope="row"]') !== null
    if (room < atLeast && (isName || !isScrolled(element)))
      faults.push(`A narrow text, ${Math.round(room / letter)} letters wide: ${short(text)}`)
    for (const box of boxes) lines.push({ text, element, box })
  }

  // Layers that lie on others on purpose: what sticks to an edge, and what is open above the page.
  const isLayer = (element: Element) =>
    element.closest('.side, .readout, dialog, .detail, [style*="position: fixed"]') !== null
  const flat = lines.filter(({ element }) => !isLayer(element) && !isScrolled(element))
  flat.sort((a, b) => a.box.top - b.box.top)
  flat.forEach((one, i) => {
    for (const other of flat.slice(i + 1)) {
      if (other.box.top >= one.box.bottom - TOUCH) break
      if (other.element === one.element) continue
      const across = overlap(one, other, 'left', 'right')
      const down = overlap(one, other, 'top', 'bottom')
      if (across > TOUCH && down > TOUCH)
        faults.push(`Texts overlap: ${short(one.text)} / ${short(other.text)}`)
    }
  })
  return [...new Set(faults)].slice(0, 12)

  function overlap(one: Line, other: Line, from: 'left' | 'top', to: 'right' | 'bottom'): number {
    const [a, b] = [clippedBy(one.element), clippedBy(other.element)]
    const start = Math.max(one.box[from], other.box[from], a[from], b[from])
    return Math.min(one.box[to], other.box[to], a[to], b[to]) - start
  }

  /** What reaches furthest out of the screen. */
  function widest(): string {
    const all = [...document.querySelectorAll('body *')].map(
      each => [Math.min(each.getBoundingClientRect().right, clippedBy(each).right), each] as const,
    )
    const [, element] = all.toSorted(([a], [b]) => b - a)[0] ?? []
    return `${element?.tagName} ${element?.className}`
  }

  /** The width of a line of the block that an element is in. */
  function roomOf(element: Element): number {
    let block = element
    while (getComputedStyle(block).display === 'inline') block = block.parentElement ?? document.body
    const { paddingLeft, paddingRight } = getComputedStyle(block)
    return block.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
  }

  /** The part of the page in which an element is not cut by one that hides what is outside of it. */
  function clippedBy(element: Element): Clip {
    const known = clips.get(element)
    if (known !== undefined) return known
    const clip = { left: -Infinity, right: Infinity, top: -Infinity, bottom: Infinity }
    for (let each: Element | null = element; each !== null; each = each.parentElement) {
      if (getComputedStyle(each).overflowX === 'visible') continue
      const box = each.getBoundingClientRect()
      clip.left = Math.max(clip.left, box.left)
      clip.right = Math.min(clip.right, box.right)
      clip.top = Math.max(clip.top, box.top)
      clip.bottom = Math.min(clip.bottom, box.bottom)
    }
    clips.set(element, clip)
    return clip
  }

  /** Whether a reader comes to a text by scrolling its part of the page. */
  function isScrolled(element: Element): boolean {
    const part = element.closest('.scroll, pre')
    return part !== null && part.scrollWidth > part.clientWidth + 1
  }
}
