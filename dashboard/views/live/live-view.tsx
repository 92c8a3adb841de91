import { useState } from 'preact/hooks'
import type { AnswersOf, Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { formatted, headline } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { Num } from '#dashboard/parts/question.tsx'
import { Answered } from '#dashboard/parts/states.tsx'
import { type Address, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { LiveLists } from './live-lists.tsx'
import { RecentEvents } from './recent-events.tsx'
import { type LiveRequests, WINDOW_TITLES, WINDOWS, type WindowName, windowOf } from './requests.ts'
import { useFollow } from './use-follow.ts'

type Data = Answer<'GET /live'>
type Props = ViewContext & { answers: AnswersOf<LiveRequests> }

/** What happens now in a project. Another project begins with nothing of this one. */
export function LiveView(props: Props) {
  return <Followed key={props.project} {...props} />
}

/**
 * The numbers are asked again every few seconds and events come as they arrive, until the reader pauses, or
 * looks at something else.
 */
function Followed({ address, project, answers: { live } }: Props) {
  const [held, hold] = useState<Data | null>(null)
  const isPaused = held !== null
  const { events, isConnected } = useFollow({ project, numbers: live.call, latest: live.data, isPaused })
  return (
    <Answered answer={live}>
      {latest => {
        const data = held ?? latest
        return (
          <>
            <div class="live-bar">
              <p role="status" class={isPaused ? 'paused' : isConnected ? 'on' : 'lost'}>
                {isPaused ? 'Paused' : isConnected ? 'Following' : 'Connection lost, trying again'}
              </p>
              <button type="button" class="plain" onClick={() => hold(isPaused ? null : latest)}>
                {isPaused ? 'Go on' : 'Pause'}
              </button>
              <WindowChoice address={address} />
            </div>
            <Tiles data={data} answer={live} />
            {data.past_events > 0 && (
              <p class="cut">
                {formatted(data.past_events)} of the events that have just arrived happened earlier, such as
                those of an import. They stand in the list of events, and nobody of them counts as a visitor
                who is here now.
              </p>
            )}
            {data.truncated === true && (
              <p class="cut">
                More events than live reads hold: the numbers are of the newest ones, and too low.
              </p>
            )}
            <div class="live">
              <RecentEvents address={address} events={events} />
              <LiveLists address={address} data={data} />
            </div>
          </>
        )
      }}
    </Answered>
  )
}

function WindowChoice({ address }: { address: Address }) {
  const open = windowOf(address)
  return (
    <nav aria-label="Window of the numbers">
      {(Object.keys(WINDOWS) as WindowName[]).map(name => (
        <a
          key={name}
          href={hrefTo(withOwn(address, { last: name === '5m' ? [] : [name] }))}
          aria-current={name === open ? 'true' : undefined}
        >
          {WINDOW_TITLES[name]}
        </a>
      ))}
    </nav>
  )
}

function Tiles({ data, answer }: { data: Data; answer: Known }) {
  return (
    <dl class="tiles">
      <div data-number="active_visitors">
        <dt>Active visitors</dt>
        <dd>
          <Num name="active_visitors" answer={answer}>
            {headline(data.active_visitors)}
          </Num>
        </dd>
      </div>
      <div data-number="active_sessions">
        <dt>Active sessions</dt>
        <dd>
          <Num name="active_sessions" answer={answer}>
            {headline(data.active_sessions)}
          </Num>
        </dd>
      </div>
      <div data-number="events_per_minute">
        <dt>Events a minute</dt>
        <dd>
          <Num name="events_per_minute" answer={answer}>
            {formatted(data.events_per_minute)}
          </Num>
        </dd>
      </div>
    </dl>
  )
}
