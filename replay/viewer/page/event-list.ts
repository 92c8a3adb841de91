import type { Mark } from '#replay/viewer/stage/recording'
import type { SessionEvent } from '#schemas/replays'
import { byId, make, toClock, toWords } from './elements.ts'
import type { Range } from './ranges.ts'

type Entry = { at: number; name: string; detail: string }

/** Entries of the list. The service sends fewer events; the rest are pages. */
const MAX_ENTRIES = 1_000
/** A page view of the tracker and the page of the recording are one when they are this close, ms. */
const SAME_MS = 3_000

/** The list of what happened. A click on an entry seeks to it. */
export function createEventList({ from, to }: Range, { onSeek }: { onSeek(at: number): void }) {
  const list = byId('events')
  let entries: Entry[] = []
  let current: Element | null = null

  function toItem({ at, name, detail }: Entry): HTMLElement {
    const item = make('li', '')
    const button = make('button', 'entry')
    button.type = 'button'
    const clock = make('span', 'clock', toClock(at - from))
    clock.setAttribute('aria-hidden', 'true')
    const spoken = make('span', 'spoken', `${toWords(at - from)}: `)
    button.append(clock, spoken, make('span', 'name', name))
    if (detail !== '') button.append(' ', make('span', 'detail', detail))
    button.addEventListener('click', () => onSeek(at))
    item.append(button)
    return item
  }

  return {
    /** Shows the events of the tracker, and the pages of the recording that it has no event for. */
    draw(events: readonly SessionEvent[], marks: readonly Mark[]): void {
      const tracked = events.map(({ timestamp, event, path }) => ({
        at: Math.min(Math.max(timestamp, from), to),
        name: event,
        detail: path ?? '',
      }))
      const pages = marks.flatMap((mark): Entry[] => {
        if (mark.kind !== 'page') return []
        const detail = toPath(mark.address)
        const isKnown = tracked.some(
          entry => entry.detail === detail && Math.abs(entry.at - mark.at) < SAME_MS,
        )
        return isKnown ? [] : [{ at: mark.at, name: 'Page', detail }]
      })
      entries = [...tracked, ...pages].sort((a, b) => a.at - b.at).slice(0, MAX_ENTRIES)
      current = null
      list.replaceChildren(...entries.map(toItem))
    },
    /** Marks the last entry that has happened. */
    show({ at }: { at: number }): void {
      const index = entries.findLastIndex(entry => entry.at <= at)
      const item = list.children[index] ?? null
      if (item === current) return
      current?.firstElementChild?.removeAttribute('aria-current')
      item?.firstElementChild?.setAttribute('aria-current', 'true')
      current = item
      if (item !== null && !list.contains(document.activeElement)) scrollTo(item as HTMLElement)
    },
    count: () => entries.length,
  }

  /** Scrolls the list alone, not the page. */
  function scrollTo(item: HTMLElement): void {
    const { offsetTop, offsetHeight } = item
    const { scrollTop, clientHeight } = list
    if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) {
      list.scrollTop = offsetTop - clientHeight / 2
    }
  }
}

/** The path of an address. */
export function toPath(address: string): string {
  return URL.canParse(address) ? new URL(address).pathname : ''
}
