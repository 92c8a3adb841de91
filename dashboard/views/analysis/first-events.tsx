import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { agoLabel, formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Code } from '#dashboard/parts/question.tsx'
import type { Address } from '#dashboard/url'
import type { Recommendation, VerifiedEvent } from '#schemas/website-scans'

type Arrived = Answer<'POST /website-scans/{id}/verify'>
type Props = {
  address: Address
  events: readonly Recommendation[]
  arrived: Known<Arrived> | undefined
}

/** The events to add first, each with its element, and whether it has arrived since. */
export function FirstEvents({ address, events, arrived }: Props) {
  const known = new Map(arrived?.data?.events.map(each => [each.event, each]))
  const count = events.filter(({ event }) => known.get(event)?.arrived).length
  return (
    <Panel title="Add these events first">
      {arrived?.data !== undefined && (
        <p class="summary" role="status">
          {formatted(count)} of {formatted(events.length)} have arrived since the analysis.
        </p>
      )}
      {arrived?.data === undefined && arrived?.problem != null && (
        <p class="cut">What has arrived is not known. {arrived.problem.message}</p>
      )}
      <ol class="first-events" aria-label="Events to add first">
        {events.map(each => (
          <FirstEvent key={each.event} address={address} each={each} state={known.get(each.event)} />
        ))}
      </ol>
    </Panel>
  )
}

type FirstEventProps = { address: Address; each: Recommendation; state: VerifiedEvent | undefined }

function FirstEvent({ address, each, state }: FirstEventProps) {
  const { event, why_this_matters_now, placement, properties, implementation_hint, example_calls } = each
  return (
    <li>
      <h3>
        {event} <Arrival address={address} state={state} />
      </h3>
      <p>{why_this_matters_now}</p>
      <p class="place">{placeWords(placement)}</p>
      <Code title={CODE_TITLES[placement.method]}>{placement.code}</Code>
      {placement.also.map(({ page, selector, code }) => (
        <Code key={`${page} ${selector}`} title={`Also ${selector} on ${page}`}>
          {code}
        </Code>
      ))}
      {placement.method !== 'attribute' && <p>{implementation_hint}</p>}
      {properties.length > 0 && (
        <dl class="properties">
          {properties.map(({ name, example, meaning }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {meaning} <small>such as {example}</small>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <ul class="caveats" aria-label={`What ${event} answers`}>
        {example_calls.map(({ question }) => (
          <li key={question}>{question}</li>
        ))}
      </ul>
      <details class="reasons">
        <summary>More, and the calls that answer it</summary>
        {placement.method === 'attribute' && <p>{implementation_hint}</p>}
        <p>{each.current_blindspot}</p>
        {example_calls.map(({ question, method, path, body }) => (
          <Code key={question} title={question}>
            {`${method} ${path}${body === null ? '' : `\n${JSON.stringify(body)}`}`}
          </Code>
        ))}
      </details>
    </li>
  )
}

const CODE_TITLES: Record<Recommendation['placement']['method'], string> = {
  attribute: 'Attributes of the element',
  call: 'Call in the page',
  server: 'Call of the server',
}

function placeWords({ page, selector, words, method }: Recommendation['placement']): string {
  if (selector === null) return method === 'server' ? 'On the server.' : 'No element of the site fits yet.'
  return [
    `On ${page ?? 'a page that was not read'}`,
    words === null || words === '' ? selector : `the element “${words}”, ${selector}`,
  ].join(': ')
}

function Arrival({ address, state }: { address: Address; state: VerifiedEvent | undefined }) {
  if (state === undefined) return null
  const { event, arrived, count, last_seen_at, from, missing_properties, warnings, fix } = state
  const notes = [
    ...(missing_properties.length === 0 ? [] : [`Often without ${missing_properties.join(', ')}.`]),
    ...warnings,
    ...(fix === null ? [] : [`To do: ${fix.change} (${fix.file_hint})`]),
  ]
  const pages = [...new Set(from.flatMap(({ page }) => page ?? []))]
  return (
    <>
      {arrived ? (
        <a class="arrival yes" href={hrefTo({ ...address, view: 'events', own: { event: [event] } })}>
          {formatted(count)} {count === 1 ? 'event' : 'events'}
          {last_seen_at !== null && `, the last ${agoLabel(last_seen_at)}`}
          {pages.length > 0 && `, from ${pages.join(', ')}`}
        </a>
      ) : (
        <span class="arrival">Not yet</span>
      )}
      {notes.map(note => (
        <small key={note} class="warning">
          {note}
        </small>
      ))}
    </>
  )
}
