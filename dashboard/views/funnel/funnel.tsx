import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { ChartFrame } from '#dashboard/charts/frame.tsx'
import { FunnelChart, type FunnelStep } from '#dashboard/charts/funnel.tsx'
import { Ranked } from '#dashboard/charts/ranked.tsx'
import { countryName, duration, formatted, headline } from '#dashboard/format'
import { goalLabel } from '#dashboard/goal'
import { hrefTo } from '#dashboard/navigate'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered, CutNote, Empty } from '#dashboard/parts/states.tsx'
import { hasConditions } from '#dashboard/question'
import { eventLabel } from '#dashboard/texts'
import { type Address, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { Builder, conditionWords } from './builder.tsx'
import { PeopleOfStep } from './people-of-step.tsx'
import { breakdownOf, type FunnelRequests } from './requests.ts'
import { countByOf, firstFunnel, goalStep, peopleOf, type Step, stepsOf, withSteps } from './steps.ts'

type Props = ViewContext & { answers: AnswersOf<FunnelRequests> }
type Data = Answer<'POST /funnel'>

/** Who passes steps in order, where people are lost, and who they are. */
export function Funnel({ address, project, answers: { events, views, funnel, people } }: Props) {
  const steps = stepsOf(address)
  const asked = peopleOf(address, steps.length)
  return (
    <div class="split">
      <Builder address={address} project={project} steps={steps} events={events} views={views} />
      <div class="stack">
        {funnel === undefined ? (
          <Begin address={address} steps={steps} events={events} />
        ) : (
          <Answered answer={funnel}>
            {data => <Result address={address} steps={steps} data={data} answer={funnel} />}
          </Answered>
        )}
        {people !== undefined && asked !== null && (
          <PeopleOfStep address={address} steps={steps} of={asked} answer={people} />
        )}
      </div>
    </div>
  )
}

/** What to do before there are two steps. */
function Begin({
  address,
  steps,
  events,
}: {
  address: Address
  steps: Step[]
  events: Props['answers']['events']
}) {
  return (
    <Answered answer={events}>
      {data => {
        if (data.events.length === 0) {
          return (
            <Empty title="No events in this range">
              Choose a longer range above, or write the names of the events into the steps.
            </Empty>
          )
        }
        if (steps.length === 1) {
          return <Empty title="One more step">Add the event that should come next.</Empty>
        }
        const first = firstFunnel(data.events, data.project_context?.activation_events)
        const href = hrefTo(withSteps(address, first.map(goalStep)))
        return (
          <Empty title="Which way should people go?">
            Add the events of that way in their order, and see how many come to its end.
            {first.length > 0 && (
              <>
                {' '}
                To begin with: <a href={href}>{first.map(goalLabel).join(' → ')}</a>
              </>
            )}
          </Empty>
        )
      }}
    </Answered>
  )
}

type ResultProps = { address: Address; steps: readonly Step[]; data: Data; answer: Known<Data> }

function Result({ address, steps, data, answer }: ResultProps) {
  const [first, last] = [data.steps[0], data.steps.at(-1)]
  if (first === undefined || last === undefined) return null
  if (first.users === 0) {
    return (
      <Empty title={`Nobody sent ${eventLabel(first.event)} in this range`}>
        {data.warnings.join(' ') || 'Choose a longer range, or another first step.'}
      </Empty>
    )
  }
  const who = countByOf(address) === 'session_id' ? 'sessions' : 'people'
  return (
    <>
      <dl class="tiles">
        <Tile
          name="entered"
          title={who === 'people' ? 'Began' : 'Sessions that began'}
          number="funnel_users"
          answer={answer}
        >
          {headline(first.users)}
        </Tile>
        <Tile name="completed" title="Passed all steps" number="funnel_users" answer={answer}>
          {headline(last.users)}
        </Tile>
        <Tile name="conversion" title="Conversion" number="funnel_rate" answer={answer}>
          {formatted(data.overall_conversion_rate, 'rate')}
        </Tile>
        <LargestLoss address={address} data={data} />
      </dl>
      <Panel
        title="Step by step"
        wide
        note={
          address.filters.length > 0 && hasConditions(address)
            ? `The filters choose ${who}: those with an event that passes, and then all that they did.`
            : undefined
        }
      >
        <Course address={address} steps={steps} data={data} answer={answer} />
        {data.warnings.map(text => (
          <p key={text} class="stale">
            {text}
          </p>
        ))}
        {data.breakdowns === undefined && <CutNote answer={answer} />}
        <details class="caveats">
          <summary>How to read this</summary>
          <ul>
            {data.caveats.map(text => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      </Panel>
      <Breakdown address={address} data={data} answer={answer} />
    </>
  )
}

type TileProps = {
  name: string
  title: string
  number: 'funnel_users' | 'funnel_rate'
  answer: Known
  children: string
}

function Tile({ name, title, number, answer, children }: TileProps) {
  return (
    <div data-number={name}>
      <dt>{title}</dt>
      <dd>
        <Num name={number} answer={answer}>
          {children}
        </Num>
      </dd>
    </div>
  )
}

/** Where most people go: the first thing to mend. */
function LargestLoss({ address, data: { steps } }: { address: Address; data: Data }) {
  const losses = steps.slice(0, -1).map(({ step, users, event }, i) => {
    const next = steps[i + 1]
    return {
      step,
      event,
      next: next?.event ?? '',
      lost: users - (next?.users ?? 0),
      rate: next?.drop_off_rate ?? 0,
    }
  })
  const largest = losses.toSorted((a, b) => b.lost - a.lost)[0]
  if (largest === undefined || largest.lost === 0) return null
  return (
    <div data-number="largest_loss">
      <dt>Largest loss</dt>
      <dd>
        {address.area === 'share' ? (
          <span class="num">{headline(largest.lost)}</span>
        ) : (
          <a class="num" href={hrefTo(withPeople(address, { lost: largest.step }))}>
            {headline(largest.lost)}
          </a>
        )}
        <small>before {eventLabel(largest.next)}</small>
      </dd>
    </div>
  )
}

/** The list of people opens below the funnel. */
function withPeople(address: Address, { lost, reached }: { lost?: number; reached?: number }): Address {
  return withOwn(address, {
    lost: lost === undefined ? [] : [String(lost)],
    reached: reached === undefined ? [] : [String(reached)],
  })
}

function Course({ address, steps, data, answer }: ResultProps) {
  const shown = data.steps.map((step, i): FunnelStep => {
    const next = data.steps[i + 1]
    const time = step.avg_time_to_next_ms
    const where = steps[i]?.filters.map(conditionWords).join(', ')
    return {
      name: eventLabel(step.event),
      users: step.users,
      fromFirst: step.conversion_rates.from_first,
      fromBefore: step.conversion_rates.from_previous,
      lost: next === undefined ? null : step.users - next.users,
      lostHref:
        next === undefined || next.users === step.users || address.area === 'share'
          ? undefined
          : hrefTo(withPeople(address, { lost: step.step })),
      ...(time !== null && { note: `the others took ${duration(time)} on average` }),
      ...(where && { where }),
    }
  })
  const table = {
    columns: ['step', 'event', 'passed', 'of_before', 'of_first', 'lost', 'to_next'],
    units: [undefined, undefined, undefined, '0 to 1', '0 to 1', undefined, 'ms'],
    rows: data.steps.map((step, i) => [
      step.step,
      step.event,
      step.users,
      step.conversion_rates.from_previous,
      step.conversion_rates.from_first,
      shown[i]?.lost ?? null,
      step.avg_time_to_next_ms,
    ]),
  }
  return (
    <ChartFrame name="Funnel" table={table}>
      <FunnelChart
        name="Funnel"
        steps={shown}
        count={value => formatted(value)}
        rate={value => formatted(value, 'rate')}
        draw={step => (
          <Num name="funnel_users" answer={answer} class="inline">
            {formatted(step.users)}
          </Num>
        )}
      />
    </ChartFrame>
  )
}

function Breakdown({ address, data: { steps, breakdowns }, answer }: Omit<ResultProps, 'steps'>) {
  const key = breakdownOf(address)
  if (breakdowns === undefined || key === undefined) return null
  const most = breakdowns.reduce((best, each) => Math.max(best, each.steps[0]?.users ?? 0), 0)
  return (
    <Panel title={`By ${key} of the first step`} wide>
      {breakdowns.length === 0 ? (
        <Empty title={`No first step has ${key}`} />
      ) : (
        <Ranked
          name={`Funnel by ${key}`}
          columns={[key, ...steps.map(({ step, event }) => `${step} ${eventLabel(event)}`), 'Conversion']}
          rows={breakdowns.map(({ value, steps: own, overall_conversion_rate }) => ({
            key: String(value),
            label: value === null ? '(not set)' : key === 'country' ? countryName(value) : value,
            title: value ?? '(not set)',
            share: most === 0 ? 0 : (own[0]?.users ?? 0) / most,
            cells: [
              ...own.map(({ users }) => ({ value: users, as: 'count' }) as const),
              { value: overall_conversion_rate, as: 'rate' },
            ],
          }))}
        />
      )}
      <CutNote answer={answer} />
    </Panel>
  )
}
