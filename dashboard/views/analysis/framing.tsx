import type { Answer } from '#dashboard/api'
import { agoLabel, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Facts } from '#dashboard/parts/facts.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import type { Address } from '#dashboard/url'
import type { ScanResult } from '#schemas/website-scans'
import { withForm } from './requests.ts'

type Props = { address: Address; scan: Answer<'GET /website-scans/{id}'>; result: ScanResult }

const KINDS: Record<ScanResult['understanding']['site_class'], string> = {
  saas: 'Software as a service',
  shop: 'Shop',
  content: 'Content',
  marketplace: 'Marketplace',
  docs: 'Documentation',
  community: 'Community',
  local_business: 'Local business',
  portfolio: 'Portfolio',
  app: 'App',
  public_service: 'Public body',
  jobs: 'Job board',
  event: 'Event',
  podcast: 'Podcast',
  nonprofit: 'Charity or association',
  app_store_page: 'App of a store',
  api: 'Interface for programs',
  unknown: 'Unknown',
}

/** What the analysis takes the site for, with its reasons, and what nobody can see of it now. */
export function Framing({ address, scan, result }: Props) {
  const { framing, understanding, current_blindspots, analytics_detected } = result
  const { site_class, confidence, claims, question, pages_read, notes } = understanding
  const facts: [string, string][] = [
    ['Kind of site', `${KINDS[site_class]}, ${formatted(confidence, 'rate')} sure`],
    ['Pages read', formatted(pages_read.length)],
    ['Analysed', scan.finished_at === null ? 'now' : agoLabel(scan.finished_at)],
    ['Tracker of this service', analytics_detected.has_tracker ? 'on the site' : 'not found'],
    ['Other tools', analytics_detected.providers.map(({ name }) => name).join(', ') || 'none found'],
  ]
  return (
    <Panel
      title={scan.hostname}
      actions={
        <a class="back" href={hrefTo(withForm(address, ''))}>
          New analysis
        </a>
      }
    >
      <p class="framing">{framing}</p>
      <Facts facts={facts} />
      {question !== null && (
        <div class="asked">
          <p>
            <strong>{question.question}</strong> Your answer makes the plan fit.
          </p>
          <ul class="keys-of" aria-label="Answers">
            {question.answers.map(answer => (
              <li key={answer}>
                <a href={hrefTo(withForm(address, answer))}>{answer}</a>
              </li>
            ))}
          </ul>
        </div>
      )}
      {current_blindspots.length > 0 && (
        <>
          <h3>What nobody can see now</h3>
          <ul class="caveats">
            {current_blindspots.map(each => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </>
      )}
      <details class="reasons">
        <summary>Why it says so</summary>
        <ul aria-label="Claims and their evidence">
          {claims.map(({ claim, evidence }) => (
            <li key={claim}>
              {claim}
              {evidence.map(({ page, quote }, i) => (
                <blockquote key={i}>
                  {quote} <small>{page}</small>
                </blockquote>
              ))}
            </li>
          ))}
          {notes.map(note => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      </details>
    </Panel>
  )
}
