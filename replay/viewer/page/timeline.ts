import type { Mark } from '#replay/viewer/stage/recording'
import { byId, make, toClock, toWords } from './elements.ts'
import type { PlaybackState } from './playback.ts'
import type { Range } from './ranges.ts'

/** Marks that a line of a few hundred pixels can show. More are left out evenly. */
const MAX_MARKS = 400

/** The time line: where the replay is, what happened when, idle times and gaps. */
export function createTimeline({ from, to }: Range, { onSeek }: { onSeek(at: number): void }) {
  const slider = byId<HTMLInputElement>('seek')
  const marks = byId('marks')
  const time = byId('time')
  const duration = Math.max(1, to - from)
  slider.max = String(duration)
  slider.disabled = false
  slider.addEventListener('input', () => onSeek(from + Number(slider.value)))

  function place(element: HTMLElement, begin: number, end = begin): HTMLElement {
    const percent = (at: number) => (Math.min(Math.max(at - from, 0), duration) / duration) * 100
    element.style.left = `${percent(begin)}%`
    if (end > begin) element.style.width = `${percent(end) - percent(begin)}%`
    return element
  }

  return {
    show({ at }: PlaybackState): void {
      const ms = at - from
      slider.value = String(ms)
      slider.style.setProperty('--played', `${(ms / duration) * 100}%`)
      slider.setAttribute('aria-valuetext', `${toWords(ms)} of ${toWords(duration)}`)
      time.textContent = `${toClock(ms)} / ${toClock(duration)}`
    },
    /** Draws all marks again. `events`: the times of events of the tracker. */
    draw(recorded: readonly Mark[], events: readonly number[], idle: readonly Range[]): void {
      const ranges = [
        ...idle.map(range => place(make('span', 'idle'), range.from, range.to)),
        ...recorded.flatMap(mark =>
          mark.kind === 'gap' ? place(make('span', 'gap'), mark.from, mark.to ?? to) : [],
        ),
      ]
      const clicks = recorded.flatMap(mark => (mark.kind === 'click' ? mark.at : []))
      marks.replaceChildren(
        ...ranges,
        ...thin(clicks).map(at => place(make('span', 'click'), at)),
        ...thin(events).map(at => place(make('span', 'event'), at)),
      )
    },
  }
}

function thin(times: readonly number[]): number[] {
  const step = Math.ceil(times.length / MAX_MARKS)
  return times.filter((_, i) => i % step === 0)
}
