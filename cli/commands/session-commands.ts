import type { RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'

/** The session of the service on this machine, without any request. */
export const authStatus: RunCommand = {
  name: 'auth status',
  group: 'Account',
  effect: 'local',
  args: [],
  flags: [],
  summary: 'Where the session is stored, and until when it lives; asks nobody',
  example: 'auth status',
  async run(_, { baseUrl, store, print, globals }) {
    const { path, read, tokens } = store()
    // The demo reads no configuration.
    const session = globals.demo ? undefined : read().sessions[baseUrl()]
    const place = session === undefined ? 'file' : tokens.nameOf(session)
    const { access_token: _access, refresh_token: _refresh, ...shown } = session ?? {}
    print(
      [
        {
          kind: 'facts',
          facts: [
            ['Signed in', session === undefined ? 'no' : session.account.email],
            ['Service', baseUrl()],
            ['Stored in', path],
            ...(session === undefined ? [] : ([['Tokens in', place]] as const)),
            ...(session === undefined
              ? []
              : ([
                  ['Tier', session.account.tier],
                  ['Scopes', session.scopes.join(', ')],
                  ['Token until (UTC)', session.access_expires_at, 'time'],
                  ['Session until (UTC)', session.refresh_expires_at, 'time'],
                ] as const)),
          ],
        },
      ],
      JSON.stringify({
        signed_in: session !== undefined,
        base_url: baseUrl(),
        stored: { kind: session?.tokens_in ?? 'file', path },
        ...(session && { session: shown }),
      }),
    )
  },
}

export const logout: RunCommand = {
  name: 'logout',
  group: 'Account',
  effect: 'changes',
  args: [],
  flags: [],
  summary: 'Ends the session, here and at the service',
  example: 'logout',
  async run(_, { baseUrl, store, client, print, say }) {
    const address = baseUrl()
    const session = store().read().sessions[address]
    if (session !== undefined) {
      const body = { session_id: session.id }
      await client({ endpoint: 'POST /agent-sessions/revoke', body }).catch(error => {
        if (!(error instanceof CommandError)) throw error
        say(`The service did not end the session: ${error.problem.message}`)
      })
      store().tokens.remove(address)
      await store().update(({ sessions, ...config }) => {
        const { [address]: _gone, ...others } = sessions
        return { ...config, sessions: others }
      })
    }
    const text = session === undefined ? 'You were not signed in.' : 'You are signed out.'
    print([{ kind: 'line', text }], JSON.stringify({ ok: true, was_signed_in: session !== undefined }))
  },
}
