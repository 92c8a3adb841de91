import { saveFile } from '#dashboard/charts/save'
import { csvBlob } from '#dashboard/charts/save-tools.tsx'
import { formatted, momentLabel } from '#dashboard/format'
import { zoneOf } from '#dashboard/range'
import type { Address } from '#dashboard/url'
import { PersonLink } from './person-link.tsx'
import { Empty } from './states.tsx'

/** Reads that name people name no more. */
const MAX_PEOPLE = 1_000

export type PeopleListProps = {
  address: Address
  name: string
  /** What `at` is the time of: `Passed signup`. */
  when: string
  people: readonly { id: string; at: number }[]
  /** The ids are those of sessions, which have no timeline of their own. */
  isSessions?: boolean
}

/** The people behind a number, the latest first, each a click away from what this person did. */
export function PeopleList({ address, name, when, people, isSessions = false }: PeopleListProps) {
  const zone = zoneOf(address)
  if (people.length === 0) return <Empty title="Nobody" />
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
            </tr>
          </thead>
          <tbody>
            {people.map(({ id, at }) => (
              <tr key={id}>
                <th scope="row">{isSessions ? id : <PersonLink address={address} id={id} />}</th>
                <td class="number">{momentLabel(at, zone)}</td>
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

/** Saves the list as CSV. */
export function savePeople(file: string, { people, isSessions = false }: Omit<PeopleListProps, 'address'>) {
  saveFile(
    `${file}.csv`,
    csvBlob({
      columns: [isSessions ? 'session_id' : 'user_id', 'at'],
      rows: people.map(({ id, at }) => [id, new Date(at).toISOString()]),
    }),
  )
}
