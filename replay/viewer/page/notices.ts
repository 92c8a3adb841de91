import type { Mark } from '#replay/viewer/stage/recording'
import type { ReplayRecord } from '#schemas/replays'
import type { Loaded } from './chunk-loader.ts'
import { byId, make, toClock } from './elements.ts'
import type { PlaybackState } from './playback.ts'
import type { Range } from './ranges.ts'

/** Why a recorder ended, by the reasons that it names. It says nothing of a session that has ended. */
const ENDS: Record<string, string> = {
  too_long: 'The session went on after the end of this replay, which is as long as a replay may be.',
  too_many_bytes: 'The session went on after the end of this replay, which is as large as a replay may be.',
  too_many_nodes: 'The recording ended at a page with more elements than are recorded.',
}

/** What the page says about the replay: where it is, what it lacks, and that it waits. */
export function createNotices({ from }: Range, status: ReplayRecord['status']) {
  const now = byId('now')
  const lacks = byId('lacks')
  let said = ''

  /** The last words alone: a screen reader reads each change. */
  function say(text: string): void {
    if (text === said) return
    said = text
    now.textContent = text
    now.hidden = text === ''
  }

  return {
    show({ at, isLoading }: PlaybackState, marks: readonly Mark[]): void {
      const gap = marks.find(
        mark => mark.kind === 'gap' && mark.from <= at && at < (mark.to ?? Number.POSITIVE_INFINITY),
      )
      if (gap?.kind === 'gap') {
        const end = gap.to === null ? '' : ` It goes on at ${toClock(gap.to - from)}.`
        say(`A part of this replay is missing from ${toClock(gap.from - from)}.${end}`)
      } else say(isLoading ? 'Loading…' : '')
    },
    /** Says what the whole replay lacks. */
    list(loaded: Loaded, broken: number): void {
      const { images, fonts, sheets } = loaded.leftOut
      const reason = loaded.marks.flatMap(mark => (mark.kind === 'end' ? mark.reason : [])).at(-1) ?? ''
      const gaps = loaded.marks.filter(({ kind }) => kind === 'gap').length
      const sentences = [
        status === 'recording' &&
          'This session is still being recorded. Open the replay again later to see the rest.',
        gaps > 0 &&
          `${gaps === 1 ? 'One part' : `${gaps} parts`} of this replay ${gaps === 1 ? 'is' : 'are'} missing. The time line shows where.`,
        status === 'incomplete' &&
          gaps === 0 &&
          'The end of this replay may be missing: the recorder did not say that it ended.',
        ENDS[reason] ?? false,
        loaded.isFull && 'This replay is longer than the viewer can play. It ends early.',
        images > 0 &&
          'Some images are not shown: the recording has only their addresses, and the viewer loads nothing from the site.',
        sheets > 0 &&
          `${sheets === 1 ? 'One style sheet' : `${sheets} style sheets`} of the site could not be recorded, so the page may look different.`,
        fonts > 0 && 'Fonts of the site are replaced by others.',
        broken > 0 && 'Some changes of the page could not be shown.',
      ].filter(sentence => typeof sentence === 'string')
      const texts = sentences.join('\n')
      if (texts === lacks.dataset.texts) return
      lacks.dataset.texts = texts
      lacks.replaceChildren(...sentences.map(sentence => make('li', '', sentence)))
      lacks.hidden = sentences.length === 0
    },
  }
}
