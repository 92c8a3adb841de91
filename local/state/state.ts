import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Agent, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { ClassicLevel } from 'classic-level'
import dynalite from 'dynalite'
import type { DynaliteStore, TableKeys } from 'dynalite/db/index.js'
import { FolderError } from '#local/lock'
import { readDirectly } from './direct-reads.ts'
import { LEVEL_OPTIONS, prepareStore, removeDeletedBytes } from './dynalite-store.ts'

/** The table. On AWS `expires_at` (Unix seconds) is its time-to-live attribute; dynalite never expires items. */
const TABLE: TableKeys = {
  TableName: 'footfall',
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
  ],
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
}

export type StateConnection = {
  client: DynamoDBDocument
  table: string
  /** Closes the connections. On the result of openState it also closes the store. */
  close(): Promise<void>
}

export type OpenState = StateConnection & {
  /** Address for connectState in another thread. It contains the key to the store, so it must not leave the process. */
  endpoint: string
  /** Whether the store was damaged and was repaired. Items that could not be read are lost then. */
  isRepaired: boolean
  /** Removes what was deleted from the files. A large state takes seconds, in a thread of LevelDB. */
  scrub(): Promise<void>
}

/** Limits of a request to dynalite, ms. */
type Timeouts = { connectionTimeout: number; requestTimeout: number }
const TIMEOUTS: Timeouts = { connectionTimeout: 2_000, requestTimeout: 10_000 }

/**
 * Opens the state in `folder`, and creates it if needed. The state is dynalite in this process, on LevelDB. It listens
 * on a free port of the loopback interface and accepts only requests with a key that is new at each start. After SIGKILL
 * LevelDB replays its log when it opens, and its lock is gone with the process. Throws FolderError when the folder
 * cannot be used.
 */
export async function openState(folder: string, timeouts: Timeouts = TIMEOUTS): Promise<OpenState> {
  createFolder(folder)
  const { server, store, isRepaired } = await openOrRepair(folder)
  const key = randomBytes(16).toString('hex')
  requireKey(server, key)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const endpoint = `http://${key}@127.0.0.1:${(server.address() as AddressInfo).port}`
  const connection = connectState(endpoint, timeouts)
  await createTable(connection.client)
  readDirectly(connection.client, store, TABLE)
  return { ...connection, endpoint, isRepaired, scrub: () => removeDeletedBytes(store.db), close }

  async function close(): Promise<void> {
    await connection.close()
    await new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())))
  }
}

/** Connects to the state that openState has opened in another thread of this process. */
export function connectState(endpoint: string, timeouts: Timeouts = TIMEOUTS): StateConnection {
  const { origin, username: key } = new URL(endpoint)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const client = DynamoDBDocument.from(
    new DynamoDBClient({
      endpoint: origin,
      region: 'local',
      credentials: { accessKeyId: key, secretAccessKey: 'not checked' },
      // No retries: dynalite is in this process, so an error would repeat, and a write could be applied twice.
      maxAttempts: 1,
      requestHandler: { httpAgent: agent, ...timeouts },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  return {
    client,
    table: TABLE.TableName,
    async close() {
      client.destroy()
      agent.destroy()
    },
  }
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new FolderError(
      `The state folder ${folder} cannot be created (${(error as Error).message}). Set DATA_DIR to a folder that can be written.`,
      error,
    )
  }
}

/** Opens the store. Repairs it first when LevelDB finds damage. */
async function openOrRepair(folder: string): Promise<OpenStore & { isRepaired: boolean }> {
  try {
    return { ...(await openStore(folder)), isRepaired: false }
  } catch (error) {
    if (!isDamage(error)) throw toFolderError(folder, error)
  }
  try {
    await ClassicLevel.repair(folder)
    return { ...(await openStore(folder)), isRepaired: true }
  } catch (error) {
    throw toFolderError(folder, error)
  }
}

type OpenStore = { server: Server; store: DynaliteStore }

async function openStore(folder: string): Promise<OpenStore> {
  let store: DynaliteStore | undefined
  const server = dynalite({
    path: folder,
    createTableMs: 0,
    prepare: created => {
      store = created
      prepareStore(created.db, folder)
    },
  })
  if (store === undefined) throw new Error('dynalite has created no store.')
  await store.db.open(LEVEL_OPTIONS)
  return { server, store }
}

function isDamage(error: unknown): boolean {
  const { code, cause } = error as Error & { code?: string }
  return code === 'LEVEL_CORRUPTION' || (cause !== undefined && isDamage(cause))
}

function toFolderError(folder: string, error: unknown): FolderError {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? cause.message : message
  return new FolderError(
    `The state in ${folder} cannot be opened (${reason}). Restore the folder from a backup, or set DATA_DIR to another folder.`,
    error,
  )
}

/**
 * Refuses requests that are not signed with the key, because every user of the machine, and every page in their
 * browsers, can reach the port. Also closes a request that breaks off, because dynalite would throw.
 */
function requireKey(server: Server, key: string): void {
  const [serve] = server.listeners('request') as [(req: IncomingMessage, res: ServerResponse) => void]
  server.removeAllListeners('request')
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (!request.headers.authorization?.includes(`Credential=${key}/`)) {
      response.writeHead(403).end()
      return
    }
    serve(request, response)
    request.removeAllListeners('error').on('error', () => response.destroy())
  })
  // The server never closes an idle connection, because the next request could already be on its way.
  server.keepAliveTimeout = 0
}

async function createTable(client: DynamoDBDocument): Promise<void> {
  try {
    await client.send(new CreateTableCommand({ ...TABLE, BillingMode: 'PAY_PER_REQUEST' }))
  } catch (error) {
    if ((error as Error).name !== 'ResourceInUseException') throw error
  }
  // Requests fail until the table is active. dynalite needs a few turns of the event loop for that.
  await waitUntilTableExists(
    { client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.01 },
    { TableName: TABLE.TableName },
  )
}
