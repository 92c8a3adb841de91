import type { AnswersOf } from '#dashboard/answers'
import { hrefTo } from '#dashboard/navigate'
import { Pager } from '#dashboard/parts/pager.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { SessionRows } from '#dashboard/parts/session-rows.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { ownValue, withOwn } from '#dashboard/url'
import type { ViewContext } from '#dashboard/view'
import { KINDS, type Kind, kindOf, type SessionsAsks } from './asks.ts'
import { SessionDetail } from './session-detail.tsx'

type Props = ViewContext & { answers: AnswersOf<SessionsAsks> }

/** Visits, newest first, and beside them what happened in the chosen one. */
export function Sessions({ address, project, answers: { list, events, replays } }: Props) {
  const chosen = ownValue(address, 'session')
  const kind = kindOf(address)
  const tabs = (Object.keys(KINDS) as Kind[]).map(name => ({
    title: KINDS[name],
    href: hrefTo(withOwn(address, { only: name === 'all' ? [] : [name], before: [], session: [] })),
    isOpen: name === kind,
  }))
  return (
    <div class={chosen === undefined ? 'pair' : 'pair open'}>
      <Panel title="Sessions" tabs={tabs}>
        <Answered answer={list}>
          {({ sessions, next_before }) =>
            sessions.length === 0 ? (
              <Empty title="No session in this range">
                A session begins with the first event that has a session id.
              </Empty>
            ) : (
              <>
                <SessionRows
                  sessions={sessions}
                  address={address}
                  hrefOf={id => hrefTo(withOwn(address, { session: [id] }))}
                  chosen={chosen}
                />
                <Pager address={address} next={next_before} />
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
