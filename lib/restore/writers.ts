import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { ServiceResources } from './service-resources.ts'
import { SECOND_MS, type Wait } from './wait.ts'

type Clients = { lambda: LambdaClient; sqs: SQSClient; wait: Wait }
type Writers = Pick<ServiceResources, 'mappings' | 'scheduler' | 'jobQueue'>

/** A worker ends after 15 minutes, and its job is visible again a minute later. */
const IDLE_TRIES = 200
const EVERY_MS = 5 * SECOND_MS
/** The scheduler ends within its minute, and the lake consumer within five (lib/function-sizes.ts). */
const LAST_CALLS_MS = 300 * SECOND_MS

/**
 * Stops everything that writes to the table and the lake, and waits until nothing runs. Tracking goes on: it
 * writes to the stream only. Throws if something still runs after a quarter of an hour.
 */
export async function stopWriters(clients: Clients, writers: Writers): Promise<void> {
  const { lambda, sqs, wait } = clients
  for (const UUID of writers.mappings)
    await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: false }))
  await lambda.send(
    new PutFunctionConcurrencyCommand({ FunctionName: writers.scheduler, ReservedConcurrentExecutions: 0 }),
  )
  await waitForMappings(clients, writers, 'Disabled')
  await wait.until(
    async () => {
      const { Attributes } = await sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: writers.jobQueue,
          AttributeNames: ['ApproximateNumberOfMessagesNotVisible'],
        }),
      )
      return Attributes?.ApproximateNumberOfMessagesNotVisible === '0'
    },
    { everyMs: EVERY_MS, tries: IDLE_TRIES, problem: 'A job still runs. Run the command again.' },
  )
  await wait.pause(LAST_CALLS_MS)
}

/** Starts everything again. */
export async function startWriters(clients: Clients, writers: Writers): Promise<void> {
  await clients.lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName: writers.scheduler }))
  for (const UUID of writers.mappings)
    await clients.lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: true }))
  await waitForMappings(clients, writers, 'Enabled')
}

async function waitForMappings(
  { lambda, wait }: Clients,
  { mappings }: Writers,
  state: string,
): Promise<void> {
  for (const UUID of mappings)
    await wait.until(
      async () => (await lambda.send(new GetEventSourceMappingCommand({ UUID }))).State === state,
      {
        everyMs: EVERY_MS,
        tries: IDLE_TRIES,
        problem: `The mapping ${UUID} is not ${state}. Run the command again.`,
      },
    )
}
