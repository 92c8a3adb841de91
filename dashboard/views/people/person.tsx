import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { formatted, momentLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { FirstVisit } from '#dashboard/parts/first-visit.tsx'
import { Pager } from '#dashboard/parts/pager.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { SessionRows } from '#dashboard/parts/session-rows.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { type EventRow, Timeline } from '#dashboard/parts/timeline.tsx'
import { zoneOf } from '#dashboard/range'
import { visible } from '#dashboard/texts'
import { type Address, DEFAULTS, withOwn } from '#dashboard/url'
import { Erasure } from './erasure.tsx'
import { isOldestFirst, type PeopleRequests } from './requests.ts'

type Props = Omit<AnswersOf<PeopleRequests>, 'people' | 'erasure'> & {
  user: string
  address: Address
  project: string
}
type Journey = Answer<'POST /journey'>

/** One person: what the site has said about them, what they did, and how to erase them. */
export function Person({ user, address, project, journey, sessions, ids }: Props) {
  if (journey === undefined) return null
  const { data } = journey
  const isUnknown = data?.events.length === 0 && data.profiles.length === 0 && ids?.data === undefined
  if (isUnknown && !ids?.isAsking) {
    return (
      <Empty title="Nobody with this id in this range">
        Nothing is known of {visible(user)} in these dates. Choose a longer range, or look for another id.
      </Empty>
    )
  }
  return (
    <div class="person">
      <About user={user} address={address} project={project} journey={journey} ids={ids} />
      <Course address={address} journey={journey} />
      <div class="aside">
        {sessions !== undefined && <TheirSessions address={address} answer={sessions} />}
        {ids?.data !== undefined && (
          <Erasure user={user} project={project} address={address} dryRun={ids.data} />
        )}
      </div>
    </div>
  )
}

/** Ids that are shown of one person. More are counted. */
const MAX_IDS = 20

type AboutProps = {
  user: string
  address: Address
  project: string
  journey: Known<Journey>
  ids: Known<Answer<'DELETE /users/{id}'>> | undefined
}

function About({ user, address, project, journey, ids }: AboutProps) {
  return (
    <Panel title="Who">
      <p class="name">{visible(user)}</p>
      <Answered answer={journey}>
        {({ profiles, events }) => {
          const traits = profiles.flatMap(profile => Object.entries(profile.traits ?? {}))
          const last = (events as EventRow[]).at(isOldestFirst(address) ? 0 : -1)
          const known = ids?.data?.ids ?? profiles.map(({ user_id }) => user_id)
          const others = known.filter(id => id !== user)
          return (
            <>
              {traits.length > 0 ? (
                <dl class="properties" aria-label="Traits">
                  {traits.map(([key, value], i) => (
                    <div key={`${i} ${key}`}>
                      <dt>{visible(key)}</dt>
                      <dd>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
                    </div>
                  ))}
                </dl>
              ) : (
                <p class="cut">The site has not said who this visitor is.</p>
              )}
              <dl class="facts">
                <FirstVisit
                  {...{ address, project, user, hasOrigin: true }}
                  since={journey.receipt?.data_from ?? undefined}
                />
                {last !== undefined && (
                  <div>
                    <dt>{isOldestFirst(address) ? 'First event' : 'Last event'}</dt>
                    <dd>{momentLabel(last.timestamp, zoneOf(address))}</dd>
                  </div>
                )}
                {ids?.data !== undefined && (
                  <>
                    <div data-number="all-events">
                      <dt>Events at any time</dt>
                      <dd>{formatted(ids.data.events)}</dd>
                    </div>
                    <div data-number="ids">
                      <dt>Ids</dt>
                      <dd>{formatted(ids.data.count)}</dd>
                    </div>
                  </>
                )}
              </dl>
              {others.length > 0 && (
                <ul class="ids" aria-label="Other ids of this visitor">
                  {others.slice(0, MAX_IDS).map(id => (
                    <li key={id}>{visible(id)}</li>
                  ))}
                  {others.length > MAX_IDS && <li>and {formatted(others.length - MAX_IDS)} more</li>}
                </ul>
              )}
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

function Course({ address, journey }: { address: Address; journey: Known<Journey> }) {
  const isOldest = isOldestFirst(address)
  const hrefOf = (fromFirst: boolean) =>
    hrefTo(withOwn(address, { from_first: fromFirst ? ['yes'] : [], before: [] }))
  return (
    <Panel
      title="What they did"
      tabs={[
        { title: 'Newest events', href: hrefOf(false), isOpen: !isOldest },
        { title: 'From the first', href: hrefOf(true), isOpen: isOldest },
      ]}
    >
      <Answered answer={journey}>
        {({ events, next_before }) =>
          events.length === 0 ? (
            <Empty title="No event in this range">Choose a longer range.</Empty>
          ) : (
            <>
              <Timeline
                name="Events of the visitor"
                events={events as EventRow[]}
                zone={zoneOf(address)}
                sessionHref={id =>
                  hrefTo({
                    ...address,
                    view: 'sessions',
                    filters: [],
                    own: { ...DEFAULTS.own, session: [id] },
                  })
                }
              />
              <Pager
                address={address}
                next={next_before}
                {...(isOldest && { words: { first: 'First', back: 'Earlier', on: 'Later' } })}
              />
            </>
          )
        }
      </Answered>
    </Panel>
  )
}

function TheirSessions({ address, answer }: { address: Address; answer: Known<Answer<'GET /sessions'>> }) {
  return (
    <Panel title="Sessions">
      <Answered answer={answer}>
        {({ sessions, next_before }) =>
          sessions.length === 0 ? (
            <Empty title="No session in this range" />
          ) : (
            <>
              <SessionRows
                isOfOne
                sessions={sessions}
                address={address}
                hrefOf={id =>
                  hrefTo({
                    ...address,
                    view: 'sessions',
                    filters: [],
                    own: { ...DEFAULTS.own, session: [id] },
                  })
                }
              />
              {next_before !== null && <p class="cut">The newest {formatted(sessions.length)} sessions.</p>}
            </>
          )
        }
      </Answered>
    </Panel>
  )
}
