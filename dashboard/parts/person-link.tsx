import { hrefTo } from '#dashboard/navigate'
import { visible } from '#dashboard/texts'
import { type Address, DEFAULTS } from '#dashboard/url'

/** The id of a person as a link to what this person did. */
export function PersonLink({ address, id }: { address: Address; id: string }) {
  const own = { ...DEFAULTS.own, user: [id] }
  return <a href={hrefTo({ ...address, view: 'people', filters: [], own })}>{visible(id)}</a>
}
