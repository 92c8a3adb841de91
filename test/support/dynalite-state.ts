import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb'
import { DynamoDBDocument } from '@aws-sdk/lib-dynamodb'
import dynalite from 'dynalite'
import type { StateTable } from '#core/state/state-table'

const TABLE = 'footfall'

/** The tests of a busy machine wait longer than the service would. */
const TIMEOUTS = { connectionTimeout: 60_000, requestTimeout: 120_000 }

export type DynaliteState = StateTable & {
  client: DynamoDBDocument
  endpoint: string
  close(): Promise<void>
}

/** Creates a table with the keys of the state. */
export async function createStateTable(client: Pick<DynamoDBClient, 'send'>, name: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName: name,
      AttributeDefinitions: ['pk', 'sk'].map(key => ({ AttributeName: key, AttributeType: 'S' })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
    }),
  )
}

/**
 * Opens an empty state on dynalite, the reference for what DynamoDB does, in memory. Its client is the SDK's:
 * each call is a request, as on AWS.
 */
export async function openDynaliteState(): Promise<DynaliteState> {
  const server = dynalite({ createTableMs: 0 })
  // An idle connection would be closed while the next request is on its way.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { client } = connectDynalite(endpoint)
  await createStateTable(client, TABLE)
  await waitUntilTableExists(
    { client, maxWaitTime: 60, minDelay: 0.01, maxDelay: 0.01 },
    { TableName: TABLE },
  )
  return {
    client,
    table: TABLE,
    endpoint,
    async close() {
      client.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve, reject) => server.close(error => (error ? reject(error) : resolve())))
    },
  }
}

/** Another connection to a state that is open, perhaps in another thread. */
export function connectDynalite(endpoint: string): StateTable & { client: DynamoDBDocument } {
  const client = DynamoDBDocument.from(
    new DynamoDBClient({
      endpoint,
      region: 'local',
      credentials: { accessKeyId: 'x', secretAccessKey: 'x' },
      maxAttempts: 1,
      requestHandler: TIMEOUTS,
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  )
  return { client, table: TABLE }
}
