import type { Known } from '#dashboard/answers'
import type { Answer } from '#dashboard/api'
import { momentLabel } from '#dashboard/format'
import { Pager } from '#dashboard/parts/pager.tsx'
import { Panel } from '#dashboard/parts/panel.tsx'
import { Answered, Empty } from '#dashboard/parts/states.tsx'
import { zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'

type Log = Answer<'GET /account/audit'>
type Entry = Log['entries'][number]

const ACTORS: Record<string, string> = {
  cookie: 'You, in a browser',
  api_key: 'API key',
  agent_session: 'Connection',
}

/** Who did what in the last 30 days. */
export function AuditLog({ address, answer }: { address: Address; answer: Known<Log> }) {
  const zone = zoneOf(address)
  return (
    <Panel title="Audit log" wide>
      <p class="lead">What was done with this account in the last 30 days, newest first.</p>
      <Answered answer={answer}>
        {({ entries, next_before }) =>
          entries.length === 0 ? (
            <Empty title="Nothing was done yet" />
          ) : (
            <>
              <div class="scroll" role="region" aria-label="Audit log, table" tabIndex={0}>
                <table class="audit" aria-label="Audit log">
                  <thead>
                    <tr>
                      <th scope="col">When</th>
                      <th scope="col">Who</th>
                      <th scope="col">What</th>
                      <th scope="col">Project</th>
                      <th scope="col" class="number">
                        Status
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {entries.map((entry, i) => (
                      <tr key={`${entry.at} ${i}`}>
                        <td>{momentLabel(entry.at, zone)}</td>
                        <td>{actorOf(entry)}</td>
                        <td title={entry.route}>{entry.action.replaceAll('_', ' ')}</td>
                        <td>{entry.project ?? '–'}</td>
                        <td class={entry.status >= 400 ? 'number refused' : 'number'}>{entry.status}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager address={address} next={next_before} />
            </>
          )
        }
      </Answered>
    </Panel>
  )
}

function actorOf({ actor: { type, label } }: Entry): string {
  const name = ACTORS[type] ?? type.replaceAll('_', ' ')
  return label === null ? name : `${name}: ${label}`
}
