import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { Ranked, type RankedRow } from '#dashboard/charts/ranked.tsx'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { wholeOf, withoutRest } from '#dashboard/parts/whole'
import { visible } from '#dashboard/texts'
import { type Address, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { ErasureReceipt } from './erasure-receipt.tsx'
import { LookUp } from './look-up.tsx'
import { Person } from './person.tsx'
import type { PeopleRequests } from './requests.ts'

type Props = ViewContext & { answers: AnswersOf<PeopleRequests> }

/** Who the visitors are: the most active ones, and everything that one of them did. */
export function People({ address, project, answers: { people, erasure, ...ofPerson } }: Props) {
  const user = ownValue(address, 'user')
  return (
    <>
      <LookUp key={user} address={address} project={project} />
      {erasure !== undefined && <ErasureReceipt answer={erasure} />}
      {user !== undefined && (
        <Person key={user} user={user} address={address} project={project} {...ofPerson} />
      )}
      {people !== undefined && <Active address={address} answer={people} />}
    </>
  )
}

function Active({ address, answer }: { address: Address; answer: Known<Answer<'POST /query'>> }) {
  return (
    <Panel title="Most active">
      <Answered answer={answer}>
        {({ rows, total_rows }) => {
          const known = withoutRest(rows)
          const most = Number(known[0]?.event_count ?? 0)
          if (known.length === 0) return <Empty title="Nobody in this range" />
          const toRow = (row: Row): RankedRow => {
            const id = row.user_id === null ? null : String(row.user_id)
            return {
              key: String(id),
              label: id === null ? 'Events without a visitor id' : visible(id),
              title: id === null ? 'Events without a visitor id' : visible(id),
              href: id === null ? undefined : hrefTo(withOwn(address, { user: [id], erasure: [] })),
              share: most === 0 ? 0 : Number(row.event_count) / most,
              cells: [
                { value: Number(row.event_count), as: 'count' },
                { value: Number(row.session_count), as: 'count' },
              ],
            }
          }
          return (
            <Ranked
              name="Visitors by events"
              columns={['Visitor', 'Events', 'Sessions']}
              rows={known.map(toRow)}
              total={total_rows}
              load={wholeOf(answer, whole => withoutRest(whole.rows).map(toRow))}
            />
          )
        }}
      </Answered>
    </Panel>
  )
}

type Row = Answer<'POST /query'>['rows'][number]
