import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { ask, useAnswers } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { agoLabel } from '#dashboard/format'
import { eventLabel } from '#dashboard/texts'
import { CheckEvent } from './check-event.tsx'
import { Panel } from './panel.tsx'
import { RefusedEvents } from './refused-events.tsx'
import { Snippet } from './snippet.tsx'
import { Answered } from './states.tsx'
import { gistOf } from './timeline.tsx'

/**
 * Time between two looks, ms. The service counts an event and a refusal within a second on one machine, so a
 * reader sees both within two.
 */
const LOOK_MS = 1_000
/**
 * Calls of `onSeen`: reports know an event after two seconds, and a report that never does is not our matter.
 */
const MAX_CALLS = 10

type Project = Answer<'GET /projects/{id}'>

type Props = {
  project: string
  /** What to do after the first event. */
  next: ComponentChildren
  /** Called after the first event, a few times: reports know it a moment later. */
  onSeen?(): void
}

/**
 * What to do with a new project: the snippet, and whether the first event has come, or why it was not stored.
 * It looks at the record of the project, which is no metered read and part of every plan; the live reads are
 * not.
 */
export function FirstEvent({ project, next, onSeen }: Props) {
  const read = call('GET /projects/{id}', {}, { id: project })
  const answers = useAnswers({ read })
  const isSeen = answers.read.data?.first_event_at != null
  useEffect(() => {
    let calls = 0
    const timer = setInterval(() => {
      if (document.visibilityState !== 'visible') return
      if (!isSeen) ask(read, 0)
      else if (calls++ < MAX_CALLS) onSeen?.()
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [project, isSeen])
  return (
    <Panel title="The first event" wide>
      <Answered answer={answers.read}>{data => <Steps project={data} next={next} />}</Answered>
    </Panel>
  )
}

function Steps({ project, next }: { project: Project; next: ComponentChildren }) {
  const { allowed_origins, first_event_at, refused } = project
  const [origin = ''] = allowed_origins.split(',')
  const site = origin === '*' ? 'your site' : origin
  return (
    <ol class="first-steps">
      <li>
        <h3>Put this line into the head of every page</h3>
        <Snippet project={project} />
        <p>
          Or run <code>footfall init</code> in the folder of the site: it writes the line into the right file.
        </p>
      </li>
      <li>
        <h3>Open a page of {site}</h3>
        <p>The page sends its first event at once. Nothing else is to do for page views.</p>
        <details>
          <summary>Check a page before that</summary>
          <CheckEvent project={project} />
        </details>
      </li>
      <li>
        {first_event_at === null ? (
          <>
            <p class="waiting" role="status">
              {refused.events.length === 0
                ? 'Waiting for the first event. This page shows it by itself.'
                : 'An event came and was not stored. This page shows the next one by itself.'}
            </p>
            <RefusedEvents project={project} />
            <Causes origins={allowed_origins} />
          </>
        ) : (
          <>
            <p class="seen" role="status">
              We have seen your first event, {agoLabel(Date.parse(first_event_at))}.
            </p>
            <Newest project={project.id} />
            {next}
          </>
        )}
      </li>
    </ol>
  )
}

/** What has arrived: the newest event. Nothing where the plan has no live reads. */
function Newest({ project }: { project: string }) {
  const { live } = useAnswers({ live: call('GET /live', { project, window: 300 }) })
  const [newest] = live.data?.recent_events ?? []
  if (newest === undefined) return null
  return (
    <p>
      The newest: <strong>{eventLabel(newest.event)}</strong> {gistOf(newest)}
    </p>
  )
}

/** Why an event may not come. */
function Causes({ origins }: { origins: string }) {
  return (
    <details>
      <summary>Nothing comes?</summary>
      <ul>
        <li>The page source must have the line: look for tracker.js.</li>
        {origins !== '*' && (
          <li>
            Only pages of {origins} may send events. The settings of the project have this list, and the
            service refuses others.
          </li>
        )}
        <li>A content blocker of your own browser may stop the script. Try a private window.</li>
        <li>The policy of the site must allow scripts and requests of {location.origin}.</li>
      </ul>
    </details>
  )
}
