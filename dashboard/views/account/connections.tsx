import type { Known } from '#dashboard/answers'
import { type Answer, call } from '#dashboard/api'
import { agoLabel } from '#dashboard/format'
import { FailureNote, useAct } from '#dashboard/parts/act.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'

type Sessions = Answer<'GET /account/agent-sessions'>
type Session = Sessions['sessions'][number]

/** Ended connections that are listed. */
const MOST_ENDED = 20

/** Agents and command-line clients that a person has approved. Their names are their own words. */
export function Connections({ answer }: { answer: Known<Sessions> }) {
  const act = useAct()
  const disconnect = (session_id: string) =>
    act.run(call('POST /agent-sessions/revoke', { session_id }), '/account')
  return (
    <Panel title="Connections">
      <p class="lead">Agents and command-line clients that you have approved. Names are their own words.</p>
      <Answered answer={answer}>
        {({ sessions }) => {
          const active = sessions.filter(({ status }) => status === 'active')
          const ended = sessions.filter(({ status }) => status !== 'active')
          return (
            <>
              {active.length === 0 && (
                <Empty title="No agent is connected">
                  An agent that asks for access shows an address. You approve it there.
                </Empty>
              )}
              <ul class="records" aria-label="Connections">
                {active.map(session => (
                  <li key={session.id}>
                    <SessionFacts session={session} />
                    <button
                      type="button"
                      class="quiet"
                      disabled={act.isBusy}
                      aria-label={`Disconnect ${nameOf(session)}`}
                      onClick={() => disconnect(session.id)}
                    >
                      Disconnect
                    </button>
                  </li>
                ))}
              </ul>
              <FailureNote act={act} />
              {ended.length > 0 && (
                <details>
                  <summary>
                    {ended.length > MOST_ENDED ? `The newest ${MOST_ENDED} of ${ended.length}` : ended.length}{' '}
                    disconnected
                  </summary>
                  <ul class="records" aria-label="Disconnected">
                    {ended.slice(0, MOST_ENDED).map(session => (
                      <li key={session.id}>
                        <SessionFacts session={session} />
                      </li>
                    ))}
                  </ul>
                </details>
              )}
            </>
          )
        }}
      </Answered>
    </Panel>
  )
}

function nameOf({ client_name, client_type }: Session): string {
  return client_name ?? client_type
}

function SessionFacts({ session }: { session: Session }) {
  const { client_name, client_type, label, created_at, last_used_at, scopes } = session
  const details = [client_name === null ? null : client_type, label].filter(each => each !== null)
  return (
    <span>
      <strong>{nameOf(session)}</strong>
      {details.length > 0 && <small>{details.join(', ')}</small>}
      <small>
        Approved {agoLabel(created_at)}, last used {agoLabel(last_used_at)}
      </small>
      <small>{scopes.join(', ')}</small>
    </span>
  )
}
