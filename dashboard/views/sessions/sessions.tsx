import type { AnswersOf } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import type { Cell } from '#dashboard/charts/csv'
import { SaveTools } from '#dashboard/charts/save-tools.tsx'
import { hrefTo } from '#dashboard/navigate'
import { Pager } from '#dashboard/parts/pager.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { SessionRows } from '#dashboard/parts/session-rows.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { wholeSessions } from '#dashboard/parts/whole'
import { type Address, DEFAULTS, ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import type { SessionRow } from '#schemas/sessions'
import { KINDS, type Kind, kindOf, type SessionsRequests } from './requests.ts'
import { SessionDetail } from './session-detail.tsx'

/** The columns of the CSV file: fields of GET /sessions. */
const FIELDS = [
  'session_id',
  'user_id',
  'start_time',
  'duration',
  'entry_page',
  'exit_page',
  'event_count',
  'is_bounce',
] as const
const UNITS: Partial<Record<(typeof FIELDS)[number], string>> = { start_time: 'ISO 8601', duration: 'ms' }
const COLUMNS = { columns: FIELDS, units: FIELDS.map(field => UNITS[field]) }

function sessionRows(sessions: Answer<'GET /sessions'>['sessions']): Cell[][] {
  // All fields were asked for, so each row has them.
  return (sessions as SessionRow[]).map(row =>
    FIELDS.map(field => (field === 'start_time' ? new Date(row[field]).toISOString() : row[field])),
  )
}

type Props = ViewContext & { answers: AnswersOf<SessionsRequests> }

/** Visits, newest first, and beside them what happened in the chosen one. */
export function Sessions({ address, project, answers: { list, events, replays } }: Props) {
  const chosen = ownValue(address, 'session')
  const kind = kindOf(address)
  // The demo has no replays.
  const names = (Object.keys(KINDS) as Kind[]).filter(
    name => name !== 'replays' || address.area === 'account',
  )
  const tabs = names.map(name => ({
    title: KINDS[name].title,
    href: hrefTo(withOwn(address, { only: name === 'all' ? [] : [name], before: [], session: [] })),
    isOpen: name === kind,
  }))
  return (
    <div class={chosen === undefined ? 'pair' : 'pair open'}>
      <Panel title="Sessions" tabs={tabs}>
        <Answered answer={list}>
          {({ sessions, next_before, ...others }) =>
            sessions.length === 0 ? (
              <NoSessions kind={kind} address={address} />
            ) : (
              <>
                <SessionRows
                  sessions={sessions}
                  address={address}
                  hrefOf={id => hrefTo(withOwn(address, { session: [id] }))}
                  chosen={chosen}
                />
                <Pager address={address} next={next_before} />
                {kind === 'replays' && hasOlderReplays(others) && (
                  <p class="cut">
                    Only sessions of the newest replays of this range. Choose earlier dates for older ones.
                  </p>
                )}
                <SaveTools
                  name="Sessions"
                  table={{ ...COLUMNS, rows: sessionRows(sessions) }}
                  load={wholeSessions(list.call, sessionRows)}
                />
              </>
            )
          }
        </Answered>
      </Panel>
      {chosen !== undefined && events !== undefined && (
        <SessionDetail
          key={chosen}
          id={chosen}
          address={address}
          project={project}
          row={list.data?.sessions.find(({ session_id }) => session_id === chosen)}
          events={events}
          replays={replays}
        />
      )}
    </div>
  )
}

/** Every answer may have warnings. One of a list of replays says that it has the newest alone (U141). */
function hasOlderReplays(others: object): boolean {
  const { warnings = [] } = others as { warnings?: readonly string[] }
  return warnings.some(text => text.includes('newest'))
}

function NoSessions({ kind, address }: { kind: Kind; address: Address }) {
  if (kind !== 'replays') {
    return (
      <Empty title="No session in this range">
        A session begins with the first event that has a session id.
      </Empty>
    )
  }
  const settings = hrefTo({ ...address, view: 'settings', filters: [], own: DEFAULTS.own })
  return (
    <Empty title="No session with a replay in this range">
      They are kept for 30 days. The <a href={settings}>settings</a> say whether they are recorded.
    </Empty>
  )
}
