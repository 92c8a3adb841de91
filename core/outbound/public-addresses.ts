/** Ranges of IPv4 that are not the public internet (IANA's registry of special addresses), and metadata. */
const REFUSED_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; metadata of one cloud
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // a cloud's own services, at an address that looks public
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments; metadata of one cloud
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/3', // multicast, reserved, broadcast
].map(parseRange)

/**
 * The only range of IPv6 that is given out for the public internet. Loopback, private, link-local, multicast,
 * IPv4-mapped and IPv4-compatible addresses, and NAT64 are outside of it.
 */
const PUBLIC_IPV6 = parseRange('2000::/3')
/** Ranges in it that are not the public internet, or that carry an IPv4 address. */
const REFUSED_IPV6 = [
  '2001::/23', // protocol assignments, Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: any IPv4 address, also a private one
  '3fff::/20', // documentation
].map(parseRange)

type Address = { bits: 32 | 128; value: bigint }
type Range = Address & { prefix: number }

/**
 * Whether an address, as DNS or a URL has it, belongs to a machine of the public internet. A text that is no
 * address, or has a zone, does not.
 */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (address === null) return false
  if (address.bits === 32) return !REFUSED_IPV4.some(range => isWithin(address, range))
  return isWithin(address, PUBLIC_IPV6) && !REFUSED_IPV6.some(range => isWithin(address, range))
}

/** Whether a text is an address of either family, without brackets. */
export function isAddress(text: string): boolean {
  return parseAddress(text) !== null
}

function parseAddress(text: string): Address | null {
  if (text.includes(':')) return parseIpv6(text)
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(text)) return null
  const bytes = text.split('.').map(Number)
  if (bytes.some(byte => byte > 255)) return null
  return { bits: 32, value: joinBits(bytes, 8n) }
}

/** The parser of URLs knows every form of IPv6 and returns the shortest one; it refuses zones. */
function parseIpv6(text: string): Address | null {
  if (!/^[0-9a-f:.]+$/i.test(text)) return null
  const hostname = URL.parse(`http://[${text}]/`)?.hostname
  if (hostname === undefined) return null
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const first = groupsOf(head)
  const last = groupsOf(tail ?? '')
  const zeros = Array<number>(8 - first.length - last.length).fill(0)
  return { bits: 128, value: joinBits([...first, ...zeros, ...last], 16n) }
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map(group => Number.parseInt(group, 16))
}

function joinBits(parts: readonly number[], width: bigint): bigint {
  return parts.reduce((value, part) => (value << width) | BigInt(part), 0n)
}

function parseRange(text: string): Range {
  const [start = '', prefix] = text.split('/')
  return { ...(parseAddress(start) as Address), prefix: Number(prefix) }
}

function isWithin(address: Address, range: Range): boolean {
  const rest = BigInt(range.bits - range.prefix)
  return address.bits === range.bits && address.value >> rest === range.value >> rest
}
