import { hrefTo } from '#dashboard/navigate'
import { visible } from '#dashboard/texts'
import { type Address, DEFAULTS } from '#dashboard/url'

/** A session as a link to what happened in it, which says whether it can be watched. */
export function SessionLink({ address, id, replays }: { address: Address; id: string; replays: number }) {
  const own = { ...DEFAULTS.own, session: [id] }
  return (
    <a
      href={hrefTo({ ...address, view: 'sessions', filters: [], own })}
      title={`Session ${visible(id)}`}
      data-session-link
    >
      {replays > 0 ? '▶ replay' : 'Session'}
    </a>
  )
}
