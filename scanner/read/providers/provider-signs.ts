export type ProviderKind =
  | 'analytics'
  | 'product analytics'
  | 'session replay'
  | 'tag manager'
  | 'consent'
  | 'advertising'
  | 'experiments'
  | 'support chat'
  | 'errors'
  | 'marketing'

/**
 * How a provider shows in the code of a page. `addresses`: parts of the address of a script, frame, image or
 * hint, from the host on. `code`: parts of inline scripts, as they are in the snippets that providers give
 * to their customers.
 */
export type ProviderSigns = {
  name: string
  kind: ProviderKind
  addresses: readonly string[]
  code?: readonly string[]
}
