import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { go, hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { PeopleList, savePeople } from '#dashboard/parts/people-list.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { type Address, withOwn } from '#dashboard/url'
import { countByOf, type PeopleOf, type Step } from './steps.ts'

type Props = {
  address: Address
  steps: readonly Step[]
  of: PeopleOf
  answer: Known<Answer<'POST /funnel'>>
}

/** Who was lost after a step, or passed it, the latest first. */
export function PeopleOfStep({ address, steps, of: { step, isLost }, answer }: Props) {
  const [event, next] = [steps[step - 1]?.event ?? '', steps[step]?.event ?? '']
  const name = isLost ? `Lost between ${event} and ${next}` : `Passed ${event}`
  const list = {
    name,
    when: `Passed ${event}`,
    people: answer.data?.people ?? [],
    isSessions: countByOf(address) === 'session_id',
  }
  const tabs = [true, false].map(lost => ({
    title: lost ? 'Lost after it' : 'Passed it',
    href: hrefTo(withOwn(address, { lost: lost ? [String(step)] : [], reached: lost ? [] : [String(step)] })),
    isOpen: lost === isLost,
  }))
  return (
    <Panel
      title={name}
      wide
      {...(step < steps.length && { tabs })}
      actions={
        <>
          <button
            type="button"
            class="quiet"
            onClick={() => savePeople(`funnel-step-${step}-${isLost ? 'lost' : 'passed'}`, list)}
          >
            CSV
          </button>
          <button type="button" class="quiet" onClick={() => go(withOwn(address, { lost: [], reached: [] }))}>
            Close
          </button>
        </>
      }
    >
      <Answered answer={answer}>{() => <PeopleList address={address} {...list} />}</Answered>
    </Panel>
  )
}
