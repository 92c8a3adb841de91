import { byId } from './elements.ts'
import { type Playback, type PlaybackState, SPEEDS } from './playback.ts'

const STEP_MS = 5_000

/** The buttons, and the same by keys. */
export function createControls(playback: Playback, { canSeek }: { canSeek(): boolean }) {
  const play = byId<HTMLButtonElement>('play')
  const speed = byId<HTMLSelectElement>('speed')
  const skip = byId<HTMLInputElement>('skip')
  const full = byId<HTMLButtonElement>('full')
  const help = byId<HTMLDialogElement>('keys')
  const player = byId('player')

  function toggle(): void {
    // Before the first picture the keys do no more than the button.
    if (play.disabled) return
    if (playback.state().isPlaying) playback.pause()
    else playback.play()
  }
  const step = (ms: number) => playback.seek(playback.state().at + ms)

  function changeSpeed(by: number): void {
    const index = SPEEDS.indexOf(playback.state().speed as (typeof SPEEDS)[number]) + by
    const next = SPEEDS[Math.min(Math.max(index, 0), SPEEDS.length - 1)]!
    playback.setSpeed(next)
  }

  function toggleFull(): void {
    if (document.fullscreenElement) void document.exitFullscreen()
    else void player.requestFullscreen?.().catch(() => {})
  }

  const keys: Record<string, () => void> = {
    ' ': toggle,
    k: toggle,
    ArrowLeft: () => step(-STEP_MS),
    ArrowRight: () => step(STEP_MS),
    '+': () => changeSpeed(1),
    '=': () => changeSpeed(1),
    '-': () => changeSpeed(-1),
    f: toggleFull,
    '?': () => help.showModal(),
  }

  function onKey(event: KeyboardEvent): void {
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key]
    const target = event.target as HTMLElement
    const isModified = event.ctrlKey || event.metaKey || event.altKey
    if (!action || isModified || help.open || !canSeek()) return
    // A button, a box and a list do with these keys what they always do.
    if (event.key === ' ' && target.matches('button, input[type=checkbox], select, summary')) return
    if (event.key.startsWith('Arrow') && target.matches('select')) return
    event.preventDefault()
    action()
  }

  play.addEventListener('click', toggle)
  byId('screen').addEventListener('click', () => {
    if (canSeek()) toggle()
  })
  byId('back').addEventListener('click', () => step(-STEP_MS))
  byId('forward').addEventListener('click', () => step(STEP_MS))
  speed.addEventListener('change', () => playback.setSpeed(Number(speed.value)))
  skip.addEventListener('change', () => playback.skipIdle(skip.checked))
  full.addEventListener('click', toggleFull)
  byId('help').addEventListener('click', () => help.showModal())
  byId('close-keys').addEventListener('click', () => help.close())
  document.addEventListener('keydown', onKey)
  document.addEventListener('fullscreenchange', () => {
    full.setAttribute('aria-pressed', String(document.fullscreenElement !== null))
  })
  if (!document.fullscreenEnabled) full.hidden = true

  return {
    enable(): void {
      for (const button of player.querySelectorAll<HTMLButtonElement>('button:disabled')) {
        button.disabled = false
      }
    },
    show({ isPlaying, speed: current }: PlaybackState): void {
      const label = isPlaying ? 'Pause' : 'Play'
      if (play.getAttribute('aria-label') !== label) play.setAttribute('aria-label', label)
      player.classList.toggle('playing', isPlaying)
      speed.value = String(current)
    },
  }
}
