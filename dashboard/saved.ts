import { type Address, parseAddress, printAddress } from './url.ts'

/**
 * A saved view is the query string of an address, with the name of the view in `view`. The project stands
 * beside it, so a view does not change with the name of its project.
 */

export function queryOf(address: Address): string {
  const [, query = ''] = printAddress(address).split('?')
  return new URLSearchParams([['view', address.view], ...new URLSearchParams(query)]).toString()
}

/** The address of a saved view of a project. */
export function addressOfSaved(project: string, query: string): Address {
  const searchParams = new URLSearchParams(query)
  const view = searchParams.get('view') ?? 'overview'
  searchParams.delete('view')
  const pathname = `/app/p/${encodeURIComponent(project)}/${encodeURIComponent(view)}`
  return parseAddress({ pathname, searchParams })
}

export function hrefOfSaved(project: string, query: string): string {
  return printAddress(addressOfSaved(project, query))
}
