import type { SiteFindings } from '#scanner/read/findings'
import { RECOMMENDED_EVENTS, type ScanDepth } from '#schemas/website-scans'
import { type Candidate, candidatesOf, type Focus, isSameEvent } from './candidates.ts'

/** An event below this part of the best one is left for later, as long as enough others are there. */
const WORTHWHILE = 0.2

export type ChosenEvents = { chosen: Candidate[]; left: Candidate[] }

/**
 * The events of a plan, the most telling first, and those that are left. A full plan has all events of the
 * preview of its first page, under the same names, whichever other pages were read (U130): the least telling
 * of the others make room.
 */
export function chooseEvents(findings: SiteFindings, mode: ScanDepth, focus: Focus | null): ChosenEvents {
  const { first } = findings
  if (mode === 'preview' || first === null) return bestOf(candidatesOf(findings, focus), mode)
  const preview = bestOf(candidatesOf({ ...first, first: null }, focus), 'preview')
  const shown = [...preview.chosen, ...preview.left]
  const candidates = candidatesOf(findings, focus, shown)
  const { chosen } = bestOf(candidates, mode)
  const kept = preview.chosen.map(each => candidates.find(other => isSameEvent(other, each)) ?? each)
  const others = chosen.filter(each => !kept.includes(each))
  const wanted = new Set([...kept, ...others.slice(0, RECOMMENDED_EVENTS[mode].max - kept.length)])
  return {
    // What further pages took away, such as an outcome that needs a page of texts, stands at the end.
    chosen: [
      ...candidates.filter(each => wanted.has(each)),
      ...kept.filter(each => !candidates.includes(each)),
    ],
    left: candidates.filter(each => !wanted.has(each)),
  }
}

function bestOf(candidates: readonly Candidate[], mode: ScanDepth): ChosenEvents {
  const { min, max } = RECOMMENDED_EVENTS[mode]
  const best = Math.max(0, ...candidates.map(({ score }) => score))
  const worthwhile = candidates.filter(({ score }) => score >= WORTHWHILE * best).length
  const count = Math.min(max, Math.max(min, worthwhile))
  return { chosen: candidates.slice(0, count), left: candidates.slice(count) }
}
