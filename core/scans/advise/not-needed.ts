import type { Intent, SiteFindings } from '#core/scans/read/findings'
import type { ScanResult } from '#schemas/website-scans'
import { type Candidate, isCountedDownload } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { pageWords } from './words-of-page.ts'

type NotNeeded = ScanResult['not_needed_yet'][number]

/** Entries of the list. */
const MAX_ENTRIES = 6

/** Pages whose views say the same as an event of the link to them. */
const PAGES: Partial<Record<Intent, readonly [event: string, revisit: string]>> = {
  pricing: ['pricing_viewed', 'the prices move into a dialog or a tab without an address of its own'],
  docs: ['docs_opened', 'the documentation moves to a host without the tracker'],
  read: ['article_opened', 'texts open in place, without a page of their own'],
  view_work: ['project_opened', 'projects open in a dialog instead of a page'],
}

/** What the plan leaves out, and when to look at it again: what is counted anyway, and what tells less. */
export function notNeededYet(findings: SiteFindings, left: readonly Candidate[]): NotNeeded[] {
  const { actions, hostname } = findings
  const pages = Object.entries(PAGES).flatMap(([intent, [event, revisit]]) => {
    const action = actions.find(
      each => each.intent === intent && each.certainty >= 0.8 && each.target?.startsWith('/'),
    )
    if (action === undefined) return []
    const path = pageWords(action.target ?? '', 60)
    return [
      {
        event,
        reason: `${elementWords(action)} leads to ${path}: its page_view says the same, with the referrer.`,
        revisit_when: `When ${revisit} on ${hostname}.`,
      },
    ]
  })
  const file = actions.find(isCountedDownload)
  const files =
    file === undefined
      ? []
      : [
          {
            event: 'file_downloaded',
            reason: `The tracker sends $download for ${pageWords(file.target ?? '', 60)} with data-track-downloads="true" on its script tag.`,
            revisit_when: `When ${hostname} gives its files from an address without an extension.`,
          },
        ]
  const later = left
    .filter(({ actions: own }) => own.length > 0)
    .map(({ event, actions: own, template }) => ({
      event,
      reason: `${elementWords(own[0] as NonNullable<(typeof own)[0]>)} is there, but the events above decide more on ${hostname}.`,
      revisit_when: `When the first events arrive and a question about ${template.noun[1]} comes up that page views cannot answer.`,
    }))
  return [
    ...pages,
    ...files,
    ...later,
    {
      event: 'scrolled',
      reason: `Scroll depth is automatic: data-track-scroll-depth="true" on the script tag sends it for every page of ${hostname}.`,
      revisit_when: `When a page of ${hostname} is long, and the place where people stop would change it.`,
    },
  ].slice(0, MAX_ENTRIES)
}
