import { useEffect, useRef, useState } from 'preact/hooks'
import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { formatted, momentLabel } from '#dashboard/format'
import { hrefTo } from '#dashboard/navigate'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Facts } from '#dashboard/parts/facts.tsx'
import { FirstVisit } from '#dashboard/parts/first-visit.tsx'
import { originOf } from '#dashboard/parts/origin'
import { Panel } from '#dashboard/parts/panel.tsx'
import { PersonLink } from '#dashboard/parts/person-link.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { type EventRow, Timeline } from '#dashboard/parts/timeline.tsx'
import { zoneOf } from '#dashboard/range'
import { type Address, withOwn } from '#dashboard/url'

type Events = Answer<'GET /events'>
type Replays = Answer<'GET /replays'>
type Session = Answer<'GET /sessions'>['sessions'][number]

type Props = {
  id: string
  address: Address
  project: string
  /** Undefined where the page of the list does not have it. */
  row: Session | undefined
  events: Known<Events>
  replays: Known<Replays> | undefined
}

/** One visit: who came from where, what they did, and the recordings of it. */
export function SessionDetail({ id, address, project, row, events, replays }: Props) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // The list is long, so whoever opens a session by key is led to it. On a phone it stands in its place.
    ref.current?.focus({ preventScroll: true })
    if ((ref.current?.getBoundingClientRect().top ?? 0) < 0) scrollTo(0, 0)
  }, [])
  return (
    <div ref={ref} tabIndex={-1} class="detail">
      <Panel
        title="What happened"
        note={address.filters.length > 0 ? 'The whole session, with what the filters leave out.' : undefined}
        actions={
          <a class="back" href={hrefTo(withOwn(address, { session: [] }))}>
            All sessions
          </a>
        }
      >
        <Answered answer={events}>
          {data => {
            const rows = (data.events as EventRow[]).toReversed()
            if (rows.length === 0) {
              return <Empty title="No event of this session is in the range">Session {id}</Empty>
            }
            return (
              <>
                <SessionFacts
                  {...{ rows, row, address, project }}
                  isWhole={data.next_before === null}
                  since={events.receipt?.data_from ?? undefined}
                />
                {replays !== undefined && <Recordings project={project} answer={replays} />}
                {data.next_before !== null && <p class="cut">The last {formatted(rows.length)} events.</p>}
                <Timeline name="Events of the session" events={rows} zone={zoneOf(address)} />
              </>
            )
          }}
        </Answered>
      </Panel>
    </div>
  )
}

type FactsProps = {
  rows: readonly EventRow[]
  row: Session | undefined
  address: Address
  project: string
  /** Whether the rows begin with the first event of the session. */
  isWhole: boolean
  /** The date of the first event of the project. */
  since: string | undefined
}

function SessionFacts({ rows, row, address, project, isWhole, since }: FactsProps) {
  const [first, last] = [rows[0] as EventRow, rows.at(-1) as EventRow]
  const person = rows.findLast(({ user_id }) => user_id !== null)?.user_id ?? null
  const start = isWhole ? first.timestamp : row?.start_time
  const facts: [string, string][] = [
    ['Start', start === undefined ? '–' : momentLabel(Number(start), zoneOf(address))],
    [
      'Duration',
      formatted(row === undefined ? last.timestamp - first.timestamp : Number(row.duration), 'duration'),
    ],
    ['Events', formatted(row === undefined ? rows.length : Number(row.event_count))],
    ...(isWhole ? originOf(first) : []),
  ]
  return (
    <Facts facts={facts}>
      <div>
        <dt>Visitor</dt>
        <dd>{person === null ? 'No visitor id' : <PersonLink address={address} id={person} />}</dd>
      </div>
      {person !== null && <FirstVisit {...{ address, project, since }} user={person} />}
    </Facts>
  )
}

/** A click asks for an address that is good for an hour, and opens it in a tab of its own. */
function Recordings({ project, answer }: { project: string; answer: Known<Replays> }) {
  const act = useAct()
  const [opened, setOpened] = useState<string | null>(null)
  const playable = (answer.data?.replays ?? []).filter(
    ({ status, has_full_snapshot }) => status !== 'recording' && has_full_snapshot,
  )
  if (playable.length === 0) return null
  const watch = async (id: string) => {
    const replay = await act.run(call('POST /replays/{id}/open', { project } as object, { id }))
    if (replay === null) return
    setOpened(replay.viewer_url)
    // The address is a secret: this page is not told to the other one, and its history does not have it.
    window.open(replay.viewer_url, '_blank', 'noopener,noreferrer')
  }
  return (
    <div class="recordings">
      {playable.map(({ id, duration_ms }) => (
        <button key={id} type="button" class="primary" disabled={act.isBusy} onClick={() => watch(id)}>
          <span aria-hidden="true">▶</span> Watch the replay, {formatted(duration_ms, 'duration')}
        </button>
      ))}
      {opened !== null && (
        <p class="cut">
          No new tab?{' '}
          <a href={opened} target="_blank" rel="noopener noreferrer">
            Open the replay
          </a>
          . The address is good for an hour.
        </p>
      )}
      <FailureNote act={act} />
    </div>
  )
}
