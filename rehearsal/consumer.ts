import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EventSourceMappingConfiguration,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import { eventually } from '#test/support/eventually'
import type { AwsClients } from './aws.ts'
import type { Outcome } from './poller/deliver.ts'
import { createKinesisSource } from './poller/kinesis-source.ts'
import { createLambdaInvoke } from './poller/lambda-invoke.ts'
import { type Poller, type PollerServices, startPoller } from './poller/poller.ts'
import { type MappingSettings, toMappingSettings } from './poller/settings.ts'
import type { Stack } from './stack.ts'

/** The lake consumer of the deployment, fed by our own poller instead of the emulator's. */
export type Consumer = {
  settings: MappingSettings
  /** Number of invocations so far, by outcome. `partial` counts responses that name failed records. */
  calls: { responded: number; partial: number; failed: number; refused: number }
  /** Number of records that the poller has discarded. */
  discardedRecords: () => number
  /**
   * Reads the stream again from its start, in batches of this size, as if Lambda had lost its checkpoints.
   */
  rereadStream(batchSize: number): Promise<void>
  /** Continues from the current position, with the deployed settings. */
  resume(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts our poller with the settings of the deployed mapping, instead of the emulator's own poller. The
 * emulator supports no batching window, no partial failures and no bisecting of batches.
 */
export async function startConsumer(aws: AwsClients, stack: Stack): Promise<Consumer> {
  const mapping = await replaceEmulatorPoller(aws, stack)
  const settings = toMappingSettings(mapping)
  const streamArn = mapping.EventSourceArn ?? ''
  const { name: functionName, role: roleArn } = stack.functions.lake
  const invokeFunction = createLambdaInvoke({ client: aws.lambda, functionName, streamArn, roleArn })
  const calls: Consumer['calls'] = { responded: 0, partial: 0, failed: 0, refused: 0 }
  let discardedRecords = 0
  let poller = start(settings)

  function start(pollerSettings: MappingSettings, startPosition?: Poller['position']): Poller {
    const services: PollerServices = {
      source: createKinesisSource(aws.kinesis, streamArn),
      async invoke(shard, records) {
        const outcome = await invokeFunction(shard, records)
        calls[hasPartialFailure(outcome) ? 'partial' : outcome.kind] += 1
        return outcome
      },
      time: {
        now: Date.now,
        sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
      },
      onDiscarded: records => {
        discardedRecords += records.length
      },
    }
    const newPoller = startPoller(pollerSettings, services, startPosition)
    newPoller.running.catch(error => console.error(`Reading the stream failed: ${error}`))
    return newPoller
  }

  return {
    settings,
    calls,
    discardedRecords: () => discardedRecords,
    async rereadStream(batchSize) {
      await poller.stop()
      poller = start({ ...settings, batchSize })
    },
    async resume() {
      await poller.stop()
      poller = start(settings, poller.position)
    },
    stop: () => poller.stop().catch(() => {}),
  }
}

function hasPartialFailure(outcome: Outcome): boolean {
  if (outcome.kind !== 'responded') return false
  const { batchItemFailures = [] } = (outcome.response ?? {}) as { batchItemFailures?: unknown[] }
  return batchItemFailures.length > 0
}

async function replaceEmulatorPoller(
  { lambda }: AwsClients,
  stack: Stack,
): Promise<EventSourceMappingConfiguration> {
  const listMappings = new ListEventSourceMappingsCommand({ FunctionName: stack.functions.lake.name })
  const { EventSourceMappings: [mapping, ...others] = [] } = await lambda.send(listMappings)
  if (mapping === undefined || others.length > 0)
    throw new Error('The lake consumer must have exactly one event source mapping.')
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping.UUID, Enabled: false }))
  await eventually(async () => {
    const { EventSourceMappings: [currentMapping] = [] } = await lambda.send(listMappings)
    if (currentMapping?.State !== 'Disabled')
      throw new Error(`The emulator's mapping is still ${currentMapping?.State}.`)
  })
  return mapping
}
