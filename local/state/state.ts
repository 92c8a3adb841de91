import { randomBytes } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { Agent, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import { ClassicLevel } from 'classic-level'
import dynalite from 'dynalite'
import type { DynaliteLevel } from 'dynalite/db/index.js'
import { FolderError } from '#local/lock'
import { prepareStore } from './dynalite-store.ts'

/** The one table. `expires_at` (Unix seconds) is its time-to-live attribute on AWS; dynalite deletes nothing. */
const TABLE = 'footfall'

export type StateConnection = {
  client: DynamoDBDocument
  table: string
  /** Ends the connections; openState's also ends the store. */
  close(): Promise<void>
}

export type OpenState = StateConnection & {
  /** For connectState in another thread. Holds the key to the store: keep it inside the process. */
  endpoint: string
  /** Whether the store was damaged and has been put together again from what could be read. */
  repaired: boolean
}

/**
 * Opens the state that lies in `folder`, made where there is none: dynalite in this process, on LevelDB, at a free port
 * of the loopback interface, behind a key that is new at each start. After kill -9 LevelDB replays its log as it opens,
 * and its lock has gone with the process. Throws FolderError when the folder cannot be used.
 */
export async function openState(folder: string): Promise<OpenState> {
  makeFolder(folder)
  const { server, repaired } = await openRepaired(folder)
  const key = randomBytes(16).toString('hex')
  admitOnly(server, key)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const endpoint = `http://${key}@127.0.0.1:${(server.address() as AddressInfo).port}`
  const connection = connectState(endpoint)
  await makeTable(connection.client)
  return { ...connection, endpoint, repaired, close }

  async function close(): Promise<void> {
    await connection.close()
    await new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())))
  }
}

/** A connection of its own to the state that openState has opened in another thread of this process. */
export function connectState(endpoint: string): StateConnection {
  const { origin, username } = withoutKey(endpoint)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const client = DynamoDBDocument.from(
    new DynamoDBClient({
      endpoint: origin,
      region: 'local',
      credentials: { accessKeyId: username, secretAccessKey: 'not checked' },
      // It is in the same process: what fails now fails again, and a try whose answer was lost would come twice.
      maxAttempts: 1,
      requestHandler: { httpAgent: agent, connectionTimeout: 2_000, requestTimeout: 10_000 },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  return {
    client,
    table: TABLE,
    async close() {
      client.destroy()
      agent.destroy()
    },
  }
}

function withoutKey(endpoint: string): { origin: string; username: string } {
  const { origin, username } = new URL(endpoint)
  return { origin, username }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new FolderError(`the state folder ${folder} cannot be made (${(error as Error).message})`, error)
  }
}

/** Opens the store, after a repair when LevelDB finds it damaged. */
async function openRepaired(folder: string): Promise<{ server: Server; repaired: boolean }> {
  try {
    return { server: await openStore(folder), repaired: false }
  } catch (error) {
    if (!isDamage(error)) throw unusable(folder, error)
  }
  try {
    await ClassicLevel.repair(folder)
    return { server: await openStore(folder), repaired: true }
  } catch (error) {
    throw unusable(folder, error)
  }
}

async function openStore(folder: string): Promise<Server> {
  let db: DynaliteLevel | undefined
  const server = dynalite({
    path: folder,
    createTableMs: 0,
    prepare: store => {
      db = store.db
      prepareStore(store.db, folder)
    },
  })
  await db?.open()
  return server
}

function isDamage(error: unknown): boolean {
  const { code, cause } = error as Error & { code?: string }
  return code === 'LEVEL_CORRUPTION' || (cause !== undefined && isDamage(cause))
}

function unusable(folder: string, error: unknown): FolderError {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? cause.message : message
  return new FolderError(`the state in ${folder} cannot be opened (${reason})`, error)
}

/**
 * Lets only requests in that are signed with the key: the port is open to every user of the machine, and to every page
 * in their browsers. A request that breaks off is its sender's business, where dynalite would throw.
 */
function admitOnly(server: Server, key: string): void {
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
  // An idle connection is never closed by this side, as it could be just as the next request is sent.
  server.keepAliveTimeout = 0
}

async function makeTable(client: DynamoDBDocument): Promise<void> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: TABLE,
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        BillingMode: 'PAY_PER_REQUEST',
      }),
    )
  } catch (error) {
    if ((error as Error).name !== 'ResourceInUseException') throw error
  }
  // Until it is active every request to it fails; dynalite has it so within a few turns of the event loop.
  await waitUntilTableExists(
    { client, maxWaitTime: 10, minDelay: 0.01, maxDelay: 0.01 },
    { TableName: TABLE },
  )
}
