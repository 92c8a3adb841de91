import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect } from 'vitest'
import type { QueryEngine } from '#core/ports'
import type { Project } from '#core/projects/project'
import type { Scope } from '#schemas/scopes'
import { SCOPES } from '#schemas/scopes'
import type { BuiltLake, EventsRecord } from './build-lake.ts'
import { openFolderLake } from './folder-lake.ts'
import { type HttpServiceOptions, NOW, openHttpService } from './http-service.ts'

/** An event of a test; `at` is how long before NOW, ms. */
export type Given = {
  event: string
  user?: string | null
  session?: string | null
  at?: number
  properties?: Record<string, unknown>
  country?: string
}

export type ClientOptions = {
  /** Default: 2026-07-28, without a handshake. `legacy` shakes hands. */
  era?: 'modern' | 'legacy'
  /** Default: an agent session with all scopes. */
  token?: string
  headers?: Record<string, string>
  /** How the human answers. Absent: the client cannot ask. */
  human?: (question: string) => { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, boolean> }
}

/** A service with events in its lake, and clients of the official SDK for its POST /mcp. */
export async function openMcpService({
  engineOver = engine => engine,
  ...options
}: Omit<HttpServiceOptions, 'reading'> & { engineOver?: (engine: QueryEngine) => QueryEngine } = {}) {
  const folder = await openFolderLake()
  let built: BuiltLake = await folder.build({ epochs: [[]] })
  const service = await openHttpService({
    ...options,
    reading: { engine: engineOver(folder.engine), openLake: () => built.openLake() },
  })
  const clients: Client[] = []

  async function token(scopes: readonly Scope[] = SCOPES): Promise<string> {
    const client = { client_type: 'mcp', client_name: null, client_instance_id: null, label: null }
    return (await service.agentSessions.issue(service.owner.id, { ...client, scopes: [...scopes] }))
      .access_token
  }

  async function connect({
    era = 'modern',
    token: given,
    headers = {},
    human,
  }: ClientOptions = {}): Promise<Client> {
    const client = new Client(
      { name: 'test', version: '1' },
      {
        capabilities: human === undefined ? {} : { elicitation: { form: {} } },
        versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' },
      },
    )
    if (human !== undefined) {
      client.setRequestHandler('elicitation/create', request => human(request.params.message))
    }
    const bearer = given ?? (await token())
    const transport = new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${service.port}/mcp`), {
      requestInit: { headers: { Authorization: `Bearer ${bearer}`, ...headers } },
    })
    await client.connect(transport)
    clients.push(client)
    return client
  }

  return {
    ...service,
    token,
    connect,
    /** Replaces the events of the lake. */
    async fill(projects: readonly (readonly [Project, readonly Given[]])[]) {
      const records = projects.map(([project, given]) => toRecord(project, given))
      built = await folder.build({ epochs: [[records]] })
    },
    async close() {
      for (const client of clients) await client.close()
      await service.close()
      await folder.close()
    },
  }
}

export type McpService = Awaited<ReturnType<typeof openMcpService>>

/** 40 people view one page each, one an hour. The first 10 of them also sign up. */
export const FORTY_VISITS = Array.from({ length: 40 }, (_, i): Given[] => [
  {
    event: 'page_view',
    user: `u${i}`,
    session: `s${i}`,
    at: (i + 2) * 3_600_000,
    properties: { path: `/p${i % 7}`, plan: i % 2 ? 'pro' : 'free' },
  },
  ...(i < 10
    ? [{ event: 'signup_completed', user: `u${i}`, session: `s${i}`, at: (i + 1) * 3_600_000 }]
    : []),
]).flat()

type Arguments = Record<string, unknown>

/**
 * Opens a service for the tests of a file, with one project that has the given events. Nothing limits its
 * rate.
 */
export function useMcpProject(given: readonly Given[]) {
  const service = {} as McpService & { project: Project }
  let client: Client
  beforeAll(async () => {
    Object.assign(service, await openMcpService({ limits: 'pro.rate_limit_rpm=-1' }))
    service.project = await service.createProject()
    await service.fill([[service.project, given]])
    client = await service.connect()
  })
  afterAll(() => service.close())

  /** Calls a tool as the client `by`. The default client has all rights. */
  const call = (name: string, args: Arguments, by = client) => by.callTool({ name, arguments: args })
  return {
    service,
    call,
    /** Arguments that name the project. */
    named: (args: object = {}): Arguments => ({ project: service.project.name, ...args }),
    /** The text of the error that a call must have. */
    async refusal(name: string, args: Arguments, by = client): Promise<string> {
      const result = await call(name, args, by)
      expect(result.isError).toBe(true)
      return textOf(result)
    },
  }
}

/** The text of a result, and its data. */
export function textOf(result: { content?: unknown }): string {
  const [first] = result.content as { text: string }[]
  return first?.text ?? ''
}

let seq = 1

function toRecord({ id, bucket }: Project, given: readonly Given[]): EventsRecord {
  const first = seq
  seq += given.length
  return {
    ...({ kind: 'events', account_id: 'acc_1', country: null, received_at: NOW, seq: first } as const),
    ...{ project_id: id, bucket },
    events: given.map(({ event, user = 'u1', session = 's1', at = 60_000, properties = {} }) => ({
      ...{ event, properties, user_id: user, session_id: session, timestamp: NOW - at, event_id: null },
    })),
  }
}
