import { countryOf } from './country.ts'

type Sender = { ip: string | null; headers: Record<string, string | undefined> }

/** The country of a request: by the header of the proxy if there is one, else by the table of addresses. */
export function createRequestCountry(
  countryHeader: string | null,
  lookUp: (ip: string) => string | null,
): (request: Sender) => string | null {
  return ({ ip, headers }) =>
    countryOf(countryHeader === null ? undefined : headers[countryHeader], ip, lookUp)
}
