import { setTimeout as sleep } from 'node:timers/promises'
import {
  type EventSourceMappingConfiguration,
  ListEventSourceMappingsCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda'
import { eventually } from '#test/support/eventually'
import type { AwsClients } from './aws.ts'
import type { Outcome } from './poller/deliver.ts'
import { kinesisSource } from './poller/kinesis-source.ts'
import { lambdaInvoke } from './poller/lambda-invoke.ts'
import { type Poller, type PollerServices, startPoller } from './poller/poller.ts'
import { type MappingSettings, mappingSettings } from './poller/settings.ts'
import type { Stack } from './stack.ts'

/** The deployed mapping of the lake's consumer, played by our poller instead of the emulator's. */
export type Consumer = {
  settings: MappingSettings
  /** How invocations have ended so far; partial: with an answer that names failed records. */
  calls: { answered: number; partial: number; failed: number; refused: number }
  /** Records that were given up. */
  givenUp: () => number
  /** Reads the stream anew from its start, as if Lambda had lost its checkpoints, and in batches of this size. */
  forget(batchSize: number): Promise<void>
  /** Goes on from where it is, by the deployed settings again. */
  goOn(): Promise<void>
  stop(): Promise<void>
}

/**
 * Ends the emulator's own reading of the stream, which knows no window, no partial answer and no halves, and reads it
 * as Lambda does, by what the deployed mapping says.
 */
export async function startConsumer(aws: AwsClients, stack: Stack): Promise<Consumer> {
  const mapping = await takeOver(aws, stack)
  const settings = mappingSettings(mapping)
  const streamArn = mapping.EventSourceArn ?? ''
  const { name: functionName, role: roleArn } = stack.functions.lake
  const call = lambdaInvoke({ client: aws.lambda, functionName, streamArn, roleArn })
  const calls: Consumer['calls'] = { answered: 0, partial: 0, failed: 0, refused: 0 }
  let givenUp = 0
  let poller = start(settings)

  function start(playedBy: MappingSettings, from?: Poller['position']): Poller {
    const services: PollerServices = {
      source: kinesisSource(aws.kinesis, streamArn),
      async invoke(shard, records) {
        const outcome = await call(shard, records)
        calls[namesFailures(outcome) ? 'partial' : outcome.kind] += 1
        return outcome
      },
      time: {
        now: Date.now,
        sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}),
      },
      onGivenUp: records => {
        givenUp += records.length
      },
    }
    const started = startPoller(playedBy, services, from)
    started.running.catch(error => console.error(`the stream cannot be read any more: ${error}`))
    return started
  }

  return {
    settings,
    calls,
    givenUp: () => givenUp,
    async forget(batchSize) {
      await poller.stop()
      poller = start({ ...settings, batchSize })
    },
    async goOn() {
      await poller.stop()
      poller = start(settings, poller.position)
    },
    stop: () => poller.stop().catch(() => {}),
  }
}

function namesFailures(outcome: Outcome): boolean {
  if (outcome.kind !== 'answered') return false
  const { batchItemFailures = [] } = (outcome.answer ?? {}) as { batchItemFailures?: unknown[] }
  return batchItemFailures.length > 0
}

async function takeOver({ lambda }: AwsClients, stack: Stack): Promise<EventSourceMappingConfiguration> {
  const list = new ListEventSourceMappingsCommand({ FunctionName: stack.functions.lake.name })
  const { EventSourceMappings: [mapping, ...others] = [] } = await lambda.send(list)
  if (mapping === undefined || others.length > 0) throw new Error('the lake consumer has not one mapping')
  await lambda.send(new UpdateEventSourceMappingCommand({ UUID: mapping.UUID, Enabled: false }))
  await eventually(async () => {
    const { EventSourceMappings: [now] = [] } = await lambda.send(list)
    if (now?.State !== 'Disabled') throw new Error(`the emulator's own mapping is ${now?.State}`)
  })
  return mapping
}
