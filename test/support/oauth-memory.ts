import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'

/** Keeps in memory what the official MCP client keeps of a sign-in, and notes the addresses that it opens. */
export class OAuthMemory implements OAuthClientProvider {
  readonly redirectUrl: string
  /** The addresses that the human is to open. */
  readonly opened: string[] = []
  stored: StoredOAuthTokens | undefined
  private client: StoredOAuthClientInformation | undefined
  private discovery: OAuthDiscoveryState | undefined
  private verifier = ''

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl
  }
  get clientMetadata() {
    return { client_name: 'SDK of a test', redirect_uris: [this.redirectUrl] }
  }
  clientInformation = () => this.client
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.client = client
  }
  tokens = () => this.stored
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.stored = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.opened.push(url.href)
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.discovery = state
  }
  discoveryState = () => this.discovery
  invalidateCredentials = () => {
    this.stored = undefined
  }
}
