import { saveFile } from '#dashboard/charts/save'
import { csvBlob } from '#dashboard/charts/save-tools.tsx'
import { formatted, momentLabel } from '#dashboard/format'
import { zoneOf } from '#dashboard/range'
import { visible } from '#dashboard/texts'
import type { Address } from '#dashboard/url'
import { PersonLink } from './person-link.tsx'
import { SessionLink } from './session-link.tsx'
import { Empty } from './states.tsx'

/** Reads that name people name no more. */
const MAX_PEOPLE = 1_000

type Person = { id: string; at: number; session_id?: string | null; replay_count?: number }

export type PeopleListProps = {
  address: Address
  name: string
  /** What `at` is the time of: `Passed signup`. */
  when: string
  people: readonly Person[]
  /** The ids are those of sessions, which have no timeline of their own. */
  isSessions?: boolean
}

/** The people behind a number, the latest first, each a click away from what this person did. */
export function PeopleList({ address, name, when, people, isSessions = false }: PeopleListProps) {
  const zone = zoneOf(address)
  if (people.length === 0) return <Empty title="Nobody" />
  const hasSessions = hasSessionsOf(people)
  return (
    <>
      <div class="scroll" role="region" aria-label={`${name}: the list`} tabIndex={0}>
        <table class="data" aria-label={name}>
          <thead>
            <tr>
              <th scope="col">{isSessions ? 'Session' : 'Visitor'}</th>
              <th scope="col" class="number">
                {when}
              </th>
              {hasSessions && (
                <th scope="col" class="number">
                  {isSessions ? 'What happened' : 'Session'}
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {people.map(({ id, at, session_id, replay_count = 0 }) => (
              <tr key={id}>
                <th scope="row">{isSessions ? visible(id) : <PersonLink address={address} id={id} />}</th>
                <td class="number">{momentLabel(at, zone)}</td>
                {hasSessions && (
                  <td class="number">
                    {session_id != null && (
                      <SessionLink address={address} id={session_id} replays={replay_count} />
                    )}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {people.length >= MAX_PEOPLE && (
        <p class="cut">The latest {formatted(MAX_PEOPLE)}. There may be more.</p>
      )}
    </>
  )
}

/** A funnel says in which session somebody passed a step; retention does not. */
function hasSessionsOf(people: readonly Person[]): boolean {
  return people.some(({ session_id }) => session_id != null)
}

/** Saves the list as CSV. */
export function savePeople(file: string, { people, isSessions = false }: Omit<PeopleListProps, 'address'>) {
  const hasSessions = hasSessionsOf(people)
  saveFile(
    `${file}.csv`,
    csvBlob({
      columns: [isSessions ? 'session_id' : 'user_id', 'at', ...(hasSessions ? ['session', 'replays'] : [])],
      rows: people.map(({ id, at, session_id = null, replay_count = 0 }) => [
        ...[id, new Date(at).toISOString()],
        ...(hasSessions ? [session_id, replay_count] : []),
      ]),
    }),
  )
}
