import { copyOfSvg, drawElement } from './draw-element.ts'

/** Saves text or a picture as a file of the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

const SCALE = 2
/** Around the picture, px. */
const MARGIN = 12
/** No browser draws a larger canvas everywhere, px. A longer table is cut there. */
const MAX_HEIGHT = 8_000

/** Draws an element of the page, a chart or a table, as PNG on the colour of the page. */
export async function elementToPng(element: Element): Promise<Blob> {
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
    canvas.height = (Math.min(height, MAX_HEIGHT) + 2 * MARGIN) * SCALE
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(image, MARGIN * SCALE, MARGIN * SCALE, width * SCALE, height * SCALE)
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is empty.'))), 'image/png'),
    )
  } finally {
    URL.revokeObjectURL(address)
  }
}
