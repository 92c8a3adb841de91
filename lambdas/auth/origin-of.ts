import type { AddressGuards } from '#core/limits/address-guards'
import { isLoopback, isOfThisMachine, type Sender } from './this-machine.ts'

type Networks = { guards: Pick<AddressGuards, 'networkHash'> }

/** Where a request for a session comes from: its country, and a name of its network that is no address. */
export async function originOf(
  request: Sender,
  { country, ...networks }: Networks & { country(request: Sender): string | null },
): Promise<{ country: string | undefined; network: string | undefined }> {
  const network = (await networkOf(request, networks)) ?? undefined
  return { country: country(request) ?? undefined, network }
}

/**
 * The name of the sender's network, to compare with one of the time `at` (Unix ms; default: now). All
 * addresses of this machine are one network (U75). Null where it is not known: behind a proxy of this machine
 * that the service does not trust, all callers have its address.
 */
export async function networkOf(request: Sender, { guards }: Networks, at?: number): Promise<string | null> {
  const { ip } = request
  if (ip === null) return null
  if (!isLoopback(ip)) return guards.networkHash(ip, at)
  return isOfThisMachine(request) ? guards.networkHash('127.0.0.1', at) : null
}
