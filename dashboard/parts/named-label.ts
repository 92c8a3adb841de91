import { channelName } from '#dashboard/channels'
import { NAMED_TABS, type NamedRow, type NamedTab } from '#dashboard/named-sources'
import { hrefTo } from '#dashboard/navigate'
import { visible } from '#dashboard/texts'
import { type Address, withFilter } from '#dashboard/url'

/** A row of GET /sources: its name, and the view of its events alone. Nothing but `direct` is called so. */
export function namedLabel({ value, channel }: NamedRow, tab: NamedTab, address: Address) {
  const { none, label, filter } = NAMED_TABS[tab]
  const isDirect = value === null && tab === 'source' && channel === 'direct'
  const name = isDirect ? channelName('direct') : value === null ? none : label(value)
  const condition = isDirect ? NAMED_TABS.channel.filter('direct') : value === null ? null : filter(value)
  return {
    key: String(value),
    label: name,
    title: value === null ? name : visible(value),
    href: condition === null ? undefined : hrefTo(withFilter(address, condition)),
  }
}
