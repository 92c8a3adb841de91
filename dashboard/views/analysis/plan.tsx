import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { dateLabel, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code } from '#dashboard/parts/question.tsx'
import { type Address, DEFAULTS, type Filter } from '#dashboard/url'
import { withSuggestion } from '#dashboard/views/experiments/requests'
import { withSteps } from '#dashboard/views/funnel/steps'
import type { ScanResult } from '#schemas/website-scans'
import { FirstEvents } from './first-events.tsx'
import { Framing } from './framing.tsx'
import { Later } from './later.tsx'
import { SiteOrigin } from './site-origin.tsx'

type Scan = Answer<'GET /website-scans/{id}'>
type Props = {
  address: Address
  scan: Scan
  result: ScanResult
  arrived: Known<Answer<'POST /website-scans/{id}/verify'>> | undefined
}

/**
 * The result in the order in which a founder reads it: what the site is, what to add first, how to hand it
 * over, and what comes later. All words of the site are text.
 */
export function Plan({ address, scan, result, arrived }: Props) {
  const { goal_driven_funnels, suggested_ab_tests } = result
  return (
    <>
      <Framing address={address} scan={scan} result={result} />
      <SiteOrigin scan={scan} />
      <FirstEvents address={address} events={result.minimum_viable_instrumentation} arrived={arrived} />
      <Panel title="Hand it to a coding agent">
        <p class="lead">
          Copy this text to an agent that works on the site. It has the events with their elements.
        </p>
        <Code title={scan.agent_handoff.label}>{scan.agent_handoff.prompt}</Code>
      </Panel>
      {goal_driven_funnels.length > 0 && (
        <Panel title="Funnels that answer your questions">
          <ul class="plan-list" aria-label="Funnels">
            {goal_driven_funnels.map(({ name, steps, decision, bottleneck_detection }) => (
              <li key={name}>
                <h3>
                  <a href={funnelHref(address, steps)}>{name}</a>
                </h3>
                <p class="steps">{steps.map(({ event }) => event).join(' → ')}</p>
                <p>{decision}</p>
                <p class="cut">{bottleneck_detection}</p>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {result.not_needed_yet.length > 0 && (
        <Panel title="Not needed yet">
          <ul class="plan-list" aria-label="Not needed yet">
            {result.not_needed_yet.map(({ event, reason, revisit_when }) => (
              <li key={event}>
                <h3>{event}</h3>
                <p>{reason}</p>
                <p class="cut">Again when: {revisit_when}</p>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      {suggested_ab_tests.length > 0 && (
        <Panel title="Experiments to run later">
          <ul class="plan-list" aria-label="Experiments to run later">
            {suggested_ab_tests.map(({ name, hypothesis, variants, success_event, implementation_hint }) => (
              <li key={name}>
                <h3>
                  <a href={hrefTo(withSuggestion(address, { name, goal: success_event, variants }))}>
                    {name}
                  </a>
                </h3>
                <p>{hypothesis}</p>
                <p class="steps">
                  {variants.join(', ')} · goal {success_event}
                </p>
                <p class="cut">{implementation_hint}</p>
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <Later result={result} />
      <Changes scan={scan} />
    </>
  )
}

/** What monthly re-scans have found changed. */
function Changes({ scan: { changes } }: { scan: Scan }) {
  if (changes.length === 0) return null
  return (
    <Panel title="What has changed since">
      <ul class="plan-list" aria-label="What has changed since">
        {changes.map(({ at, site, plan }) => (
          <li key={at}>
            <h3>{dateLabel(new Date(at).toISOString().slice(0, 10), 'long')}</h3>
            {[...site, ...plan].map(sentence => (
              <p key={sentence}>{sentence}</p>
            ))}
            {site.length + plan.length === 0 && <p>{formatted(0)} changes.</p>}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

type Steps = ScanResult['goal_driven_funnels'][number]['steps']

function funnelHref(address: Address, steps: Steps): string {
  const filters: readonly Filter[] = []
  return hrefTo(withSteps({ ...address, view: 'funnel', filters, own: DEFAULTS.own }, steps))
}
