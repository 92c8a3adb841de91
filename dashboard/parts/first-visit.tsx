import { useAnswers } from '#dashboard/answers'
import { type Answer, type Call, call } from '#dashboard/api'
import { momentLabel } from '#dashboard/format'
import { zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'
import { originOf } from './origin.ts'
import type { EventRow } from './timeline.tsx'

type Props = {
  address: Address
  project: string
  /** Any id of the person. */
  user: string
  /** The date of the first event of the project; undefined: not known yet. */
  since: string | undefined
  /** Whether it also says where that visit came from. */
  hasOrigin?: boolean
}

/** When a person first came, at any time that the service knows, as facts of a list. */
export function FirstVisit({ address, project, user, since, hasOrigin = false }: Props) {
  const zone = zoneOf(address)
  const requests: { first?: Call<Answer<'POST /journey'>> } = {
    ...(since !== undefined && {
      first: call('POST /journey', { project, user_id: user, since, tz: zone, order: 'asc', limit: 1 }),
    }),
  }
  const { first } = useAnswers(requests)
  if (first === undefined) return null
  const event = (first.data?.events as EventRow[] | undefined)?.[0]
  const facts = [
    ['First visit', event === undefined ? '…' : momentLabel(event.timestamp, zone)],
    ...(hasOrigin && event !== undefined ? originOf(event) : []),
  ]
  return (
    <>
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd aria-busy={first.isAsking && first.data === undefined ? 'true' : undefined}>{value}</dd>
        </div>
      ))}
    </>
  )
}
