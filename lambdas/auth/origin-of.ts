import type { AddressGuards } from '#core/limits/address-guards'
import type { HttpRequest } from '#lambdas/http'

type Asked = Pick<HttpRequest, 'ip' | 'headers'>

/** Where a request for a session comes from: its country, and a name of its network that is no address. */
export async function originOf(
  request: Asked,
  { guards, country }: { guards: Pick<AddressGuards, 'networkHash'>; country(request: Asked): string | null },
): Promise<{ country: string | undefined; network: string | undefined }> {
  const network = request.ip === null ? undefined : await guards.networkHash(request.ip)
  return { country: country(request) ?? undefined, network }
}
