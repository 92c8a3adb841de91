import { byId } from './elements.ts'

/** The place where the recorded page is shown, as large as it fits. */
export function createScreen() {
  const screen = byId('screen')
  const stage = byId<HTMLIFrameElement>('stage')
  const sizeText = byId('size')
  let size = { width: 1280, height: 720 }

  function place(): void {
    const { clientWidth, clientHeight } = screen
    const scale = Math.min(clientWidth / size.width, clientHeight / size.height)
    stage.style.width = `${size.width}px`
    stage.style.height = `${size.height}px`
    const left = (clientWidth - size.width * scale) / 2
    const top = (clientHeight - size.height * scale) / 2
    stage.style.transform = `translate(${left}px, ${top}px) scale(${scale})`
  }
  new ResizeObserver(place).observe(screen)

  return {
    stage,
    resize(next: { width: number; height: number }): void {
      size = next
      sizeText.textContent = `${size.width} × ${size.height}`
      screen.style.setProperty('--shape', `${size.width} / ${size.height}`)
      place()
    },
  }
}
