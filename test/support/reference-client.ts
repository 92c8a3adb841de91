import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SCOPES } from '#schemas/scopes'
import type { Deployment } from './deployment.ts'

// biome-ignore lint/suspicious/noExplicitAny: the client does not check what it reads
type Body = any
export type ClientResponse = { status: number; headers: Headers; body: Body }

type StoredSession = { id: string; access_token: string; refresh_token: string }

/**
 * The existing command-line client, as docs/api/conventions.md#what-clients-rely-on says it: what it sends,
 * what it stores, and how it answers a 401. Its commands are in client-commands.ts.
 */
export function createReferenceClient({ baseUrl }: Pick<Deployment, 'baseUrl'>) {
  let session: StoredSession | null = null

  /** Sends a request as every command does: the header of JSON also without a body, and the stored token. */
  async function send(method: string, path: string, body?: unknown): Promise<ClientResponse> {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(session !== null && { Authorization: `Bearer ${session.access_token}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) }
  }

  /** As send, with one refresh and one retry after a 401. */
  async function request(method: string, path: string, body?: unknown): Promise<ClientResponse> {
    const response = await send(method, path, body)
    if (response.status !== 401 || session === null || !(await refresh())) return response
    return send(method, path, body)
  }

  async function refresh(): Promise<boolean> {
    const { status, body } = await send('POST', '/agent-sessions/refresh', {
      refresh_token: session?.refresh_token,
    })
    // The whole object is merged into the stored session.
    if (status === 200) session = { ...session, ...body.agent_session }
    return status === 200
  }

  function start(mode: 'interactive' | 'detached', more: Record<string, unknown>): Promise<ClientResponse> {
    return send('POST', '/agent-sessions/start', {
      mode,
      client_type: 'cli',
      client_name: 'Reference client',
      client_instance_id: randomUUID(),
      label: null,
      callback_url: null,
      scopes: SCOPES,
      code_challenge: null,
      metadata: null,
      ...more,
    })
  }

  /** Stores the session of an exchange that succeeded. */
  async function exchange(body: Record<string, unknown>): Promise<ClientResponse> {
    const response = await send('POST', '/agent-sessions/exchange', body)
    if (response.status === 200) session = response.body.agent_session
    return response
  }

  return {
    request,
    /** `login`: `approve` stands for the person in the browser, who ends on the page of the client. */
    async logIn(approve: (started: Body) => Promise<void>): Promise<ClientResponse> {
      const listener = await listenForCallback()
      const code_verifier = randomBytes(32).toString('base64url')
      const { body: started } = await start('interactive', {
        callback_url: listener.url,
        code_challenge: createHash('sha256').update(code_verifier).digest('hex'),
      })
      await approve(started)
      const callback = listener.close()
      const [auth_request_id, exchange_code] = ['request_id', 'exchange_code'].map(name =>
        callback?.get(name),
      )
      return exchange({ auth_request_id, exchange_code, code_verifier })
    },
    /** `login --detached`: prints the address of the approval and ends. */
    startDetached: () => start('detached', {}).then(({ body }) => body),
    /** `login --poll`: one look. */
    poll: ({ auth_request_id, poll_token }: Body) =>
      send('POST', '/agent-sessions/poll', { auth_request_id, poll_token }),
    /** `login --auth-request … --exchange-code …`. */
    finishDetached: (auth_request_id: string, exchange_code: string) =>
      exchange({ auth_request_id, exchange_code, code_verifier: null }),
    /** Stores an access token that is no longer known, as after an hour of sleep. */
    outliveAccessToken() {
      if (session !== null) session = { ...session, access_token: `aas_${'0'.repeat(64)}` }
    },
    session: () => session,
    /** `logout`: revokes the stored session and forgets it. Returns the session that it had. */
    async logOut(): Promise<{ response: ClientResponse; ended: StoredSession | null }> {
      const response = await request('POST', '/agent-sessions/revoke', { session_id: session?.id })
      const ended = session
      session = null
      return { response, ended }
    },
  }
}

export type ReferenceClient = ReturnType<typeof createReferenceClient>

/**
 * The loopback listener of a client that waits for the browser. `close` returns the parameters of the
 * callback.
 */
export async function listenForCallback() {
  const calls: URLSearchParams[] = []
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://client')
    if (pathname === '/callback') calls.push(searchParams)
    response.end('Back in the client')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    close() {
      server.close()
      server.closeAllConnections()
      return calls[0]
    },
  }
}
