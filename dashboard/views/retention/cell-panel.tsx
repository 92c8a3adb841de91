import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { formatted } from '#dashboard/format'
import { go, hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { PeopleList, savePeople } from '#dashboard/parts/people-list.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { type Address, withOwn } from '#dashboard/url'
import { cohortLabel, isGone, type Place } from './cohorts.ts'

type Data = Answer<'GET /retention'>
type Props = {
  address: Address
  place: Place
  answer: Known<Data>
  data: Data
  people: Known<Data> | undefined
}

/** What is behind the chosen cell of the grid: its numbers, and the people who came back or did not. */
export function CellPanel({ address, place, answer, data: { cohorts, period }, people }: Props) {
  const cohort = cohorts.find(({ date }) => date === place.date)
  const retained = cohort?.retained[place.offset]
  if (cohort === undefined || retained === undefined) return null
  const { users, rates, date } = cohort
  const isFirst = place.offset === 0
  const gone = isGone(address)
  const name = `${cohortLabel(date, period)}, ${period} ${place.offset}`
  const list = {
    name: `People of ${name}`,
    when: isFirst || gone ? 'Joined' : 'Came back',
    people: people?.data?.people ?? [],
  }
  const tabs = isFirst
    ? undefined
    : [false, true].map(each => ({
        title: each ? 'Did not' : 'Came back',
        href: hrefTo(withOwn(address, { gone: each ? ['1'] : [] })),
        isOpen: each === gone,
      }))
  return (
    <Panel
      title={name}
      wide
      {...(tabs !== undefined && { tabs })}
      actions={
        <>
          <button
            type="button"
            class="quiet"
            onClick={() => savePeople(`retention-${date}-${place.offset}`, list)}
          >
            CSV
          </button>
          <button type="button" class="quiet" onClick={() => go(withOwn(address, { cell: [], gone: [] }))}>
            Close
          </button>
        </>
      }
    >
      <p class="summary">
        <Num name="retention" answer={answer} class="inline">
          {formatted(rates[place.offset], 'rate')}
        </Num>{' '}
        of the {formatted(users)} people who joined came {isFirst ? 'first' : 'back'} in this {period}:{' '}
        <Num name="cohort" answer={answer} class="inline">
          {formatted(retained)}
        </Num>
        .
      </p>
      {people !== undefined && (
        <Answered answer={people}>{() => <PeopleList address={address} {...list} />}</Answered>
      )}
    </Panel>
  )
}
