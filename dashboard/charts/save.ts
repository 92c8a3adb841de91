/** Saves text or a picture as a file of the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** What an element looks like, as attributes: the picture is drawn without our style sheet. */
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
const SCALE = 2

/** Draws an SVG of the page as PNG, on the colour of the page. */
export async function svgToPng(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect()
  const copy = svg.cloneNode(true) as SVGSVGElement
  const drawn = [svg, ...svg.querySelectorAll('*')]
  const copies = [copy, ...copy.querySelectorAll('*')]
  drawn.forEach((element, i) => {
    const style = getComputedStyle(element)
    for (const name of DRAWN) copies[i]?.setAttribute(name, style.getPropertyValue(name))
  })
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  copy.setAttribute('width', String(width))
  copy.setAttribute('height', String(height))
  const source = new Blob([new XMLSerializer().serializeToString(copy)], { type: 'image/svg+xml' })
  const address = URL.createObjectURL(source)
  try {
    const image = new Image()
    image.src = address
    await image.decode()
    const canvas = document.createElement('canvas')
    canvas.width = width * SCALE
    canvas.height = height * SCALE
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    context.fillStyle = getComputedStyle(document.body).backgroundColor
    context.fillRect(0, 0, canvas.width, canvas.height)
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    return await new Promise((resolve, reject) =>
      canvas.toBlob(blob => (blob ? resolve(blob) : reject(new Error('The picture is empty.'))), 'image/png'),
    )
  } finally {
    URL.revokeObjectURL(address)
  }
}
