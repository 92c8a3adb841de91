import { copyOfSvg, drawElement } from './draw-element.ts'

/** Saves text or a picture as a file of the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Letters of a part of a file name, and bytes of all: systems take 255. */
const [MAX_PART, MAX_BYTES] = [80, 200]

/** The name of a file of some parts, in the letters of any language: `demo-pages-2026-11-01.csv`. */
export function fileName(parts: readonly (string | undefined)[], extension: 'csv' | 'png'): string {
  const words = parts
    .filter(part => part !== undefined && part !== '')
    .map(part => [...(part as string).toLowerCase().replace(/[^\p{L}\p{N}\p{M}]+/gu, '-')].slice(0, MAX_PART))
    .map(letters => letters.join('').replace(/^-|-$/g, ''))
  let name = [...words.filter(Boolean).join('-')]
  while (new TextEncoder().encode(name.join('')).length > MAX_BYTES) name = name.slice(0, -1)
  return `${name.join('') || 'footfall'}.${extension}`
}

const SCALE = 2
/** The line above a picture, px. */
const TITLE_HEIGHT = 24
const TITLE_SIZE = 13
/** Around the picture, px. */
const MARGIN = 12
/** No browser draws a larger canvas everywhere, px. A longer table is cut there. */
const MAX_HEIGHT = 8_000

/**
 * Draws an element of the page, a chart or a table, as PNG on the colour of the page, below a line that says
 * what it is.
 */
export async function elementToPng(element: Element, title: string): Promise<Blob> {
  const { width, height } = element.getBoundingClientRect()
  const svg = element instanceof SVGSVGElement ? copyOfSvg(element) : drawElement(element)
  const source = new Blob([new XMLSerializer().serializeToString(svg)], { type: 'image/svg+xml' })
  const address = URL.createObjectURL(source)
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = (width + 2 * MARGIN) * SCALE
    canvas.height = (Math.min(height, MAX_HEIGHT) + TITLE_HEIGHT + 2 * MARGIN) * SCALE
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    const { backgroundColor, color, fontFamily } = getComputedStyle(document.body)
    context.fillStyle = backgroundColor
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.fillStyle = color
    context.font = `600 ${TITLE_SIZE * SCALE}px ${fontFamily}`
    context.textBaseline = 'top'
    const line = shortenedTo(
      title,
      canvas.width - 2 * MARGIN * SCALE,
      text => context.measureText(text).width,
    )
    context.fillText(line, MARGIN * SCALE, MARGIN * SCALE)
    context.drawImage(image, MARGIN * SCALE, (MARGIN + TITLE_HEIGHT) * SCALE, width * SCALE, height * SCALE)
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is empty.'))), 'image/png'),
    )
  } finally {
    URL.revokeObjectURL(address)
  }
}

/** The text, or as much of it as has room, with an ellipsis. */
function shortenedTo(text: string, width: number, widthOf: (text: string) => number): string {
  const letters = [...text]
  if (widthOf(text) <= width) return text
  while (letters.length > 0 && widthOf(`${letters.join('')}…`) > width) letters.pop()
  return `${letters.join('')}…`
}
