import { Panel } from '#dashboard/parts/panel.tsx'
import type { ScanResult } from '#schemas/website-scans'

/** What the analysis leaves for later: events of the business, and what the tracker can do beside events. */
export function Later({ result }: { result: ScanResult }) {
  const { business_events_later, advanced_tracking_later, after_install_agent_behavior } = result
  return (
    <Panel title="Later">
      <Folded
        title="Events of your business"
        rows={business_events_later.map(each => [each.event, `${each.why} ${each.where_to_instrument}`])}
      />
      <Folded
        title="What the tracker can do beside events"
        rows={advanced_tracking_later.map(each => [
          each.capability,
          `${each.why} ${each.implementation_hint}`,
        ])}
      />
      <Folded
        title="What an agent does once the events arrive"
        rows={after_install_agent_behavior.map((each, i) => [String(i + 1), each])}
      />
    </Panel>
  )
}

function Folded({ title, rows }: { title: string; rows: readonly [name: string, text: string][] }) {
  if (rows.length === 0) return null
  return (
    <details class="reasons">
      <summary>{title}</summary>
      <dl class="properties">
        {rows.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
