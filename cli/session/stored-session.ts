export type StoredAccount = {
  id: string
  email: string
  code_host_login: string | null
  idp_name: string | null
  tier: string
}

export type StoredSession = {
  id: string
  access_token: string
  refresh_token: string
  /** Unix ms. */
  access_expires_at: number
  refresh_expires_at: number
  scopes: readonly string[]
  account: StoredAccount
}

/** What the file keeps of a session: all of it, or all but the tokens. */
export type SavedSession = Omit<StoredSession, 'access_token' | 'refresh_token'> &
  Partial<Pick<StoredSession, 'access_token' | 'refresh_token'>> & { tokens_in?: 'keychain' }
