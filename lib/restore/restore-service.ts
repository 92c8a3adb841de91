import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { LambdaClient } from '@aws-sdk/client-lambda'
import type { S3Client } from '@aws-sdk/client-s3'
import type { SQSClient } from '@aws-sdk/client-sqs'
import { tables } from '#schemas/columns'
import { LINKS_MANIFEST_PREFIX, MANIFEST_PREFIX } from '#schemas/manifests'
import { callRestore, type Found } from './call-restore.ts'
import { copyItems, describeCopied, isInTable } from './copy-items.ts'
import { PIPELINE_KEY } from './kept-items.ts'
import { deleteCopy, restoreCopy } from './restore-table.ts'
import type { ServiceResources } from './service-resources.ts'
import { undoDeletions } from './undo-deletions.ts'
import type { Wait } from './wait.ts'
import { startWriters, stopWriters } from './writers.ts'

export type RestoreClients = {
  lambda: LambdaClient
  sqs: SQSClient
  dynamo: DynamoDBClient
  s3: S3Client
  wait: Wait
  /** Unix ms. */
  now(): number
  /** Tells the operator what was done. */
  print(line: string): void
}

export type Restored = {
  found: Found
  /** Seconds in which new events stayed in the stream: reads did not show them. */
  stoppedSeconds: number
  seconds: number
}

/** All that the lake is made of. The service deletes again what nothing names. */
const PREFIXES = [...Object.values(tables).map(({ prefix }) => `${prefix}/`), MANIFEST_PREFIX]
/**
 * A table that has its pipeline names files of links and traits that are there, or that are written again
 * from the table. Older ones would have persons who were erased since.
 */
const IDENTITIES = [`${tables.links.prefix}/`, LINKS_MANIFEST_PREFIX, `${tables.user_traits.prefix}/`]

/**
 * Brings the table and the lake back to one moment. The table is restored before anything is stopped, because
 * that takes longest and a wrong moment fails there. A step that fails leaves the writers stopped; the same
 * call again continues. Events that were acknowledged after the moment are not lost: they are in the lake or
 * in the stream, and the function `restore` finds them. No credential comes back (copy-items.ts).
 */
export async function restoreService(
  clients: RestoreClients,
  resources: ServiceResources,
  moment: Date,
): Promise<Restored> {
  const { now, print } = clients
  const begun = now()
  const { bucket, table } = resources
  const copy = `${table}-restored`
  const step = async <T>(name: string, act: () => Promise<T>, describe: (result: T) => string = () => '') => {
    const start = now()
    const result = await act()
    print(`${Math.round((now() - start) / 1_000)} s  ${name}${describe(result)}`)
    return result
  }
  await step(`the table of ${moment.toISOString()} is ${copy}`, () =>
    restoreCopy(clients, { table, copy, moment }),
  )
  const prefixes = (await isInTable(clients.dynamo, table, PIPELINE_KEY))
    ? PREFIXES.filter(prefix => !IDENTITIES.includes(prefix))
    : PREFIXES
  const stopped = now()
  await step('everything that writes has stopped; tracking goes on', () => stopWriters(clients, resources))
  await step(
    'deleted files are back: ',
    () => undoDeletions(clients.s3, bucket, { prefixes, since: moment }),
    String,
  )
  await step('items are copied into the table: ', () => copyItems(clients, copy, table), describeCopied)
  const found = await step(
    'table and lake agree: ',
    () => callRestore(clients, resources.restore),
    result => JSON.stringify(result),
  )
  await step('everything that writes has started', () => startWriters(clients, resources))
  const end = now()
  await step(`${copy} is deleted`, () => deleteCopy(clients.dynamo, copy))
  return { found, stoppedSeconds: (end - stopped) / 1_000, seconds: (end - begun) / 1_000 }
}
