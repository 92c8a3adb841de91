import type { Intent, SiteFindings } from '#scanner/read/findings'
import type { ScanResult } from '#schemas/website-scans'
import { type Candidate, isCountedDownload } from './candidates.ts'
import { elementWords } from './element-words.ts'
import { isCartLink } from './sales-events.ts'
import { pageWords } from './words-of-page.ts'

type NotNeeded = ScanResult['not_needed_yet'][number]

/** Entries of the list. */
const MAX_ENTRIES = 6

/** Pages whose views say the same as an event of the link to them. */
const PAGES: Partial<Record<Intent, readonly [event: string, revisit: string]>> = {
  pricing: [
    'pricing_viewed',
    'the prices of {host} move into a dialog or a tab without an address of its own',
  ],
  checkout: ['cart_viewed', 'the cart of {host} opens in a drawer instead of a page'],
  directions: ['directions_viewed', 'the directions of {host} open in a map instead of a page'],
  docs: ['docs_viewed', 'the documentation of {host} moves to a host without the tracker'],
  read: ['article_viewed', 'the texts of {host} open in place, without a page of their own'],
  view_work: ['project_viewed', 'the projects of {host} open in a dialog instead of a page'],
}

/** What the plan leaves out, and when to look at it again: what is counted anyway, and what tells less. */
export function notNeededYet(findings: SiteFindings, left: readonly Candidate[]): NotNeeded[] {
  const { actions, hostname } = findings
  const pages = Object.entries(PAGES).flatMap(([intent, [event, revisit]]) => {
    const action = actions.find(
      each =>
        each.intent === intent &&
        each.certainty >= 0.8 &&
        each.target?.startsWith('/') &&
        (intent !== 'checkout' || isCartLink(each)),
    )
    if (action === undefined) return []
    const path = pageWords(action.target ?? '', 60)
    return [
      {
        event,
        reason: `${sentence(elementWords(action))} leads to ${path}. The page_view of that page says the same, with the source of the visit.`,
        revisit_when: `When ${revisit.replace('{host}', hostname)}.`,
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
            reason: `The tracker sends $download for ${pageWords(file.target ?? '', 60)} by itself if its script tag has data-track-downloads="true".`,
            revisit_when: `When ${hostname} gives its files from an address without an extension.`,
          },
        ]
  const later = left
    .filter(({ actions: own }) => own.length > 0)
    .map(({ event, actions: own, noun }) => ({
      event,
      reason: `${sentence(elementWords(own[0] as NonNullable<(typeof own)[0]>))} is there, but the events above say more about ${hostname}.`,
      revisit_when: `When the first events arrive, and a question about ${noun[1]} comes up that page views cannot answer.`,
    }))
  return [
    ...pages,
    ...files,
    ...later,
    {
      event: 'scrolled',
      reason: `The tracker sends the scroll depth of every page of ${hostname} by itself if its script tag has data-track-scroll-depth="true".`,
      revisit_when: `When a page of ${hostname} is long, and you would change it at the place where people stop.`,
    },
  ].slice(0, MAX_ENTRIES)
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
