import { CommandError } from '#cli/errors'
import { type Credential, createOpenClient, type Network } from '#cli/http/client'
import type { Store } from './store.ts'
import type { StoredSession } from './stored-session.ts'

/** The stored session of the service. `token`: the file is read once a run, and again at a refusal. */
export function storedCredential(io: Network, store: Store, baseUrl: string): Credential {
  let session: StoredSession | undefined
  return {
    async token() {
      session ??= store.session(baseUrl)
      return session?.access_token ?? null
    },
    async renewed(refused) {
      session = await renewSession(io, store, baseUrl, refused)
      return session?.access_token ?? null
    },
  }
}

/**
 * Replaces a refused token under the lock of the store, so that of several processes one refreshes and the
 * others find its result. Without a session, or when the session is over, there is nothing; an error of the
 * network keeps the session.
 */
async function renewSession(
  io: Network,
  store: Store,
  baseUrl: string,
  refused: string,
): Promise<StoredSession | undefined> {
  let session: StoredSession | undefined
  await store.update(async config => {
    const saved = config.sessions[baseUrl]
    session = saved && store.tokens.withTokens(baseUrl, saved)
    if (saved === undefined || session === undefined || session.access_token !== refused) return config
    const fresh = await refreshed(io, baseUrl, session)
    session = fresh ?? undefined
    if (fresh === null) return config
    const kept = store.tokens.saveRenewed(baseUrl, fresh, saved)
    return { ...config, sessions: { ...config.sessions, [baseUrl]: kept } }
  })
  return session
}

async function refreshed(
  io: Network,
  baseUrl: string,
  session: StoredSession,
): Promise<StoredSession | null> {
  try {
    const { answer } = await createOpenClient(
      io,
      baseUrl,
    )({
      endpoint: 'POST /agent-sessions/refresh',
      body: { refresh_token: session.refresh_token },
    })
    const { account, session_id: _, ...fresh } = answer.agent_session
    return { ...fresh, account: storedAccount(account) }
  } catch (error) {
    if (error instanceof CommandError && error.problem.error === 'INVALID_REFRESH_TOKEN') return null
    throw error
  }
}

/** The part of an account that the file keeps. */
export function storedAccount({
  id,
  email,
  code_host_login,
  idp_name,
  tier,
}: StoredSession['account']): StoredSession['account'] {
  return { id, email, code_host_login, idp_name, tier }
}

/**
 * A read-only session of the demo, made at the first call. Nothing is read from the configuration or written
 * to it.
 */
export function demoCredential(io: Network, baseUrl: string): Credential {
  let token: Promise<string> | undefined
  const start = async () => {
    const { answer } = await createOpenClient(io, baseUrl)({ endpoint: 'POST /demo/session', body: {} })
    return answer.agent_session.access_token
  }
  return {
    token() {
      token ??= start()
      return token
    },
    async renewed() {
      token = start()
      return token
    },
  }
}
