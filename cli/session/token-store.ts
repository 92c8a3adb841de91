import { CommandError, usage } from '#cli/errors'
import type { Env } from '#cli/io'
import { type Keychain, KeychainError } from './keychain.ts'
import type { SavedSession, StoredSession } from './stored-session.ts'

/** Where the tokens of sessions are: in the file with the rest, or in the keychain. */
export type TokenStore = {
  /** The session with its tokens. Throws CommandError when the keychain does not give them. */
  withTokens(address: string, saved: SavedSession): StoredSession
  /**
   * Puts the tokens where AA_CREDENTIAL_STORE says. `saved`: what the file keeps. `warning`: why the tokens
   * are in the file although nobody chose it.
   */
  save(address: string, session: StoredSession): { saved: SavedSession; warning: string | null }
  /** The same for new tokens of a known session. They stay where they were; if that fails, in the file. */
  saveRenewed(address: string, session: StoredSession, known: SavedSession): SavedSession
  /** Best effort: what the keychain keeps is of no use without its session. */
  remove(address: string): void
  /** What a person calls the place. */
  nameOf(saved: SavedSession): string
}

type Choice = 'auto' | 'file' | 'native'

/** AA_CREDENTIAL_STORE chooses: `auto` is the keychain, and the file where none works. */
export function openTokenStore(keychain: Keychain | null, env: Env): TokenStore {
  function saveInKeychain(address: string, session: StoredSession): SavedSession {
    const { access_token, refresh_token, ...rest } = session
    const secret = JSON.stringify({ access_token, refresh_token })
    if (keychain === null) throw new KeychainError('There is no keychain')
    keychain.save(address, secret)
    // A tool that reads commands may end well after a command that failed.
    if (keychain.load(address) !== secret) throw new KeychainError('The keychain has lost the tokens')
    return { ...rest, tokens_in: 'keychain' }
  }

  function save(address: string, session: StoredSession): ReturnType<TokenStore['save']> {
    const choice = choiceOf(env)
    if (choice === 'file') return { saved: session, warning: null }
    try {
      return { saved: saveInKeychain(address, session), warning: null }
    } catch (error) {
      if (!(error instanceof KeychainError)) throw error
      if (choice === 'native') throw noKeychain()
      return { saved: session, warning: IN_FILE }
    }
  }

  return {
    withTokens(address, saved) {
      if (saved.tokens_in !== 'keychain') return saved as StoredSession
      try {
        const tokens = JSON.parse(keychain?.load(address) ?? 'null')
        if (tokens !== null) return { ...saved, ...tokens }
      } catch (error) {
        if (!(error instanceof KeychainError || error instanceof SyntaxError)) throw error
      }
      throw noTokens()
    },
    save,
    saveRenewed: (address, session, { tokens_in }) =>
      tokens_in === 'keychain' ? save(address, session).saved : session,
    remove(address) {
      try {
        keychain?.remove(address)
      } catch (error) {
        if (!(error instanceof KeychainError)) throw error
      }
    },
    nameOf: saved => (saved.tokens_in === 'keychain' ? (keychain?.name ?? 'keychain') : 'file'),
  }
}

/** Before a sign-in, so that no human approves in vain. Throws CommandError. */
export function requireChoice(keychain: Keychain | null, env: Env): void {
  if (choiceOf(env) !== 'native') return
  try {
    keychain?.load(NOBODY)
  } catch (error) {
    if (error instanceof KeychainError) throw noKeychain()
    throw error
  }
  if (keychain === null) throw noKeychain()
}

/** An address without a session: the question alone shows whether the keychain answers. */
const NOBODY = 'https://nobody.invalid'

const IN_FILE =
  'No keychain works here, so the tokens are in this file, which only you can read. Set AA_CREDENTIAL_STORE=file to keep them there without this notice.'

function choiceOf({ AA_CREDENTIAL_STORE: choice }: Env): Choice {
  const known = (['auto', 'file', 'native'] as const).find(each => each === (choice || 'auto'))
  if (known !== undefined) return known
  throw usage(
    'AA_CREDENTIAL_STORE is neither auto nor file nor native.',
    'Leave it out: the tokens go to the keychain, or to a file that only you can read.',
  )
}

function noKeychain(): CommandError {
  return new CommandError({
    error: 'KEYCHAIN_UNAVAILABLE',
    message: 'No keychain works here.',
    suggested_action:
      'Unlock it (on Linux install secret-tool), or set AA_CREDENTIAL_STORE=file: the tokens go to a file that only you can read.',
  })
}

function noTokens(): CommandError {
  return new CommandError({
    error: 'KEYCHAIN_UNAVAILABLE',
    message: 'The keychain does not give the tokens of the session.',
    suggested_action:
      'Unlock it, or sign in again: footfall login (AA_CREDENTIAL_STORE=file uses a file instead).',
    retryable: true,
  })
}
