import type { Answer } from '#dashboard/api'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { agoLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Empty } from '#dashboard/parts/states.tsx'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import { kindLabel, purposeLabel, shortPurpose } from './kinds.ts'
import { SENDERS } from './requests.ts'

type Data = Answer<'GET /bot-traffic'>
type Props = { address: Address; data: Data }

/** Kinds of senders. A click shows only the senders of one. */
export function Kinds({ address, data: { categories } }: Props) {
  const most = categories[0]?.requests ?? 0
  const chosen = ownValue(address, 'kind')
  return (
    <Panel title="Kinds">
      <Ranked
        name="Kinds by requests"
        columns={['Kind', 'Requests', 'Share', 'Not stored']}
        rows={categories.map(({ category, requests, share_pct, dropped_events }) => ({
          key: category,
          label: kindLabel(category),
          title: category,
          href: hrefTo(withOwn(address, { kind: category === chosen ? [] : [category] })),
          share: most === 0 ? 0 : requests / most,
          cells: [
            { value: requests, as: 'count' },
            { value: share_pct, as: 'percent' },
            { value: dropped_events, as: 'count' },
          ],
        }))}
      />
    </Panel>
  )
}

/** What crawlers come for. Other bots have no purpose, so the shares do not add up to all requests. */
export function Purposes({ data: { purposes } }: Pick<Props, 'data'>) {
  const most = Math.max(0, ...purposes.map(({ requests }) => requests))
  if (most === 0) return null
  return (
    <Panel title="What crawlers come for">
      <Ranked
        name="Purposes of crawlers by requests"
        columns={['Purpose', 'Requests', 'Share of all', 'Not stored']}
        rows={purposes
          .toSorted((a, b) => b.requests - a.requests)
          .map(({ purpose, requests, share_pct, dropped_events }) => ({
            key: purpose,
            label: purposeLabel(purpose),
            title: purpose,
            share: requests / most,
            cells: [
              { value: requests, as: 'count' },
              { value: share_pct, as: 'percent' },
              { value: dropped_events, as: 'count' },
            ],
          }))}
      />
    </Panel>
  )
}

/** Who sent the requests, by the name in their user agent. */
export function Senders({ address, data: { actors, categories } }: Props) {
  const kind = ownValue(address, 'kind')
  const shown = kind === undefined ? actors : actors.filter(({ category }) => category === kind)
  const most = shown[0]?.requests ?? 0
  return (
    <Panel
      title={kind === undefined ? 'Senders' : `Senders: ${kindLabel(kind)}`}
      actions={
        kind !== undefined && (
          <a class="back" href={hrefTo(withOwn(address, { kind: [] }))}>
            All senders
          </a>
        )
      }
    >
      {shown.length === 0 ? (
        <Empty title="None among the most frequent">
          {kind !== undefined && categories.some(({ category }) => category === kind)
            ? `The list has the ${SENDERS} senders with the most requests.`
            : 'No sender of this kind has come in this period.'}
        </Empty>
      ) : (
        <Ranked
          name="Senders by requests"
          columns={['Sender', 'Purpose', 'Requests', 'Last seen']}
          table={{
            columns: ['sender', 'kind', 'purpose', 'requests', 'events_not_stored', 'last_seen_at'],
            rows: shown.map(({ actor, category, purpose, requests, dropped_events, last_seen_at }) => [
              ...[actor, category, purpose, requests, dropped_events],
              last_seen_at === null ? null : new Date(last_seen_at).toISOString(),
            ]),
          }}
          rows={shown.map(({ actor, category, purpose, requests, last_seen_at }) => ({
            key: `${category} ${actor}`,
            label: actor,
            title: `${actor}, ${kindLabel(category)}`,
            share: most === 0 ? 0 : requests / most,
            cells: [
              purpose === null ? '–' : shortPurpose(purpose),
              { value: requests, as: 'count' },
              last_seen_at === null ? '–' : agoLabel(last_seen_at),
            ],
          }))}
        />
      )}
      {actors.length >= SENDERS && <p class="cut">The {SENDERS} with the most requests.</p>}
    </Panel>
  )
}
