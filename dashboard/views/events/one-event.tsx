import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { formatted } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { type EventRow, Timeline } from '#dashboard/parts/timeline.tsx'
import { withoutRest } from '#dashboard/parts/whole'
import { zoneOf } from '#dashboard/range'
import { valueLabel } from '#dashboard/texts'
import { type Address, ownValue, withFilter, withOwn } from '#dashboard/url'
import { bareKey, fieldOfKey } from '#schemas/property-names'
import type { EventsRequests } from './requests.ts'

type Props = Pick<AnswersOf<EventsRequests>, 'received' | 'values' | 'samples'> & {
  event: string
  address: Address
}
type Query = Answer<'POST /query'>

/** One event name: its properties, the values of one of them, and the newest events whole. */
export function OneEvent({ event, address, received, values, samples }: Props) {
  const property = ownValue(address, 'prop')
  return (
    <Panel
      title={event}
      actions={
        <a class="back" href={hrefTo(withOwn(address, { event: [], prop: [] }))}>
          All events
        </a>
      }
    >
      <p class="choices">
        <a href={hrefTo(withFilter(address, { field: 'event', op: 'eq', value: event }))}>
          Only this event, as a filter
        </a>
      </p>
      <h3>Properties</h3>
      {received !== undefined && <Keys event={event} address={address} answer={received} open={property} />}
      {property !== undefined && values !== undefined && (
        <Values property={property} address={address} answer={values} />
      )}
      {samples !== undefined && <h3>Newest events</h3>}
      {samples !== undefined && (
        <Answered answer={samples}>
          {({ events }) =>
            events.length === 0 ? (
              <Empty title="None in this range" />
            ) : (
              <Timeline
                name={`Newest events of ${event}`}
                events={(events as EventRow[]).toReversed()}
                zone={zoneOf(address)}
              />
            )
          }
        </Answered>
      )}
    </Panel>
  )
}

type KeysProps = {
  event: string
  address: Address
  answer: Known<Answer<'GET /properties/received'>>
  open: string | undefined
}

function Keys({ event, address, answer, open }: KeysProps) {
  return (
    <Answered answer={answer}>
      {({ properties, sample_size }) => {
        const keys = properties.filter(each => each.event === event).map(({ key }) => key)
        if (keys.length === 0) return <Empty title="No properties">It came with none lately.</Empty>
        return (
          <>
            <ul class="keys-of" aria-label="Properties of the event">
              {keys.map(key => (
                <li key={key}>
                  <a
                    href={hrefTo(withOwn(address, { prop: [key] }))}
                    aria-current={key === open ? 'true' : undefined}
                  >
                    {key}
                  </a>
                </li>
              ))}
            </ul>
            <p class="cut">Of the newest {formatted(sample_size)} events of any name.</p>
          </>
        )
      }}
    </Answered>
  )
}

function Values({ property, address, answer }: { property: string; address: Address; answer: Known<Query> }) {
  const field = fieldOfKey(bareKey(property))
  return (
    <Answered answer={answer}>
      {({ rows }) => {
        const known = withoutRest(rows)
        const most = Number(known[0]?.event_count ?? 0)
        if (known.length === 0) return <Empty title="No value in this range" />
        return (
          <>
            <Ranked
              name={`Values of ${property}`}
              columns={[property, 'Events', 'Visitors']}
              rows={known.map(row => {
                const text = row[field] === null || row[field] === undefined ? null : String(row[field])
                const label = valueLabel(text)
                return {
                  key: String(text),
                  label,
                  title: label,
                  href:
                    text === null ? undefined : hrefTo(withFilter(address, { field, op: 'eq', value: text })),
                  share: most === 0 ? 0 : Number(row.event_count) / most,
                  cells: [
                    { value: Number(row.event_count), as: 'count' },
                    { value: Number(row.unique_users), as: 'count' },
                  ],
                }
              })}
            />
            <CutNote answer={answer} />
          </>
        )
      }}
    </Answered>
  )
}
