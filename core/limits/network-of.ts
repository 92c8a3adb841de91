/**
 * The network that an address counts as. An IPv6 host has a whole /64 of addresses to choose from, so that
 * counts as one, however its addresses are written. An IPv4 address is its own network.
 */
export function networkOf(address: string): string {
  if (!address.includes(':') || /^::ffff:\d+\./i.test(address)) return address
  // An interface may follow, as in `fe80::1%eth0`; an IPv4 address at the end stands for two groups.
  const [plain = ''] = address.replace(/(?<=:)\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}$/, '0:0').split('%')
  const [head = [], tail = []] = plain.split('::').map(part => part.split(':').filter(group => group !== ''))
  const zeros = new Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0')
  const groups = [...head, ...zeros, ...tail]
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
  return `${groups.join(':')}::/64`
}
