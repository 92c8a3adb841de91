import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { LambdaClient } from '@aws-sdk/client-lambda'
import {
  createDynamoClient,
  createKinesisClient,
  createS3Client,
  createSecretsManagerClient,
  createSqsClient,
} from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { assertMovable, openStackSource } from '#aws/promoted-stack'
import { createKinesisStream } from '#aws/stream'
import type { Log } from '#core/ports'
import { type Promotion, PromotionError, promote } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { readCatalogEpochs } from '#lib/restore/catalog-epochs'
import { adviceFor } from '#lib/restore/operator-advice'
import { createPromotionStack } from '#lib/restore/promotion-stack'
import { readServiceResources } from '#lib/restore/service-resources'
import { createWait } from '#lib/restore/wait'
import { FolderError } from '#local/lock'
import { assertBegun, openArrival } from '#local/promote/arrival'
import { openSource } from '#local/promote/source'
import { cancelMove, openTarget } from '#local/promote/target'
import { systemClock as clock } from '#providers/system-clock'

// `npm run promote -- --data /var/lib/footfall --stack Footfall` moves all that one machine has to a
// deployed, empty stack, and with --back all that a stack has to a new folder of one machine
// (docs/promote.md). Killed, it continues when it is run again.

/** The function `restore` takes up to 15 minutes. */
const CALL_MS = 16 * 60_000
/** Memory of an upgrade of the lake, MB, as the service has it by itself. */
const COMPACTION_MEMORY_MB = 256

const USE = `Use: npm run promote -- [--data FOLDER] [--stack NAME]                  from one machine to AWS
     npm run promote -- --back [--last] [--data FOLDER] [--stack NAME]  from AWS to one machine
     npm run promote -- --back --cancel [--data FOLDER] [--stack NAME]  gives the way back up

  --data FOLDER  the data folder; with --back a new one. Default: DATA_DIR, or .footfall
  --stack NAME   the stack. Default: Footfall
  --back         copies what the stack has now, while it runs
  --last         with --back: stops the stack, copies the rest, and prepares the folder for a service
  --cancel       with --back: starts a stack again whose last copy is not done`

try {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean', default: false } as const
  const { values } = parseArgs({
    options: {
      ...{ data: text, stack: { ...text, default: 'Footfall' } },
      ...{ back: flag, last: flag, cancel: flag, help: flag },
    },
  })
  const { back, last, cancel, stack } = values
  const dataDir = resolve(values.data ?? (process.env.DATA_DIR || '.footfall'))
  if (values.help) console.log(USE)
  else if (back && cancel) await cancelBack(dataDir, stack)
  else if (back) await moveBack(dataDir, stack, last)
  else if (last || cancel) throw new PromotionError(`--last and --cancel are for the way back.\n${USE}`)
  else await promoteFolder(dataDir, stack)
} catch (error) {
  console.error(operatorMessage(error))
  process.exitCode = 1
}

/** Finds the resources of a deployed stack. */
async function openStack(stackName: string) {
  const cloudFormation = new CloudFormationClient()
  const resources = await readServiceResources(cloudFormation, stackName)
  const service = createPromotionStack(
    {
      // A second try of a call would start the function twice.
      lambda: new LambdaClient({ maxAttempts: 1, requestHandler: { requestTimeout: CALL_MS } }),
      sqs: createSqsClient(),
      secrets: createSecretsManagerClient(),
      wait: createWait(sleep),
    },
    resources,
  )
  const { bucket, table } = resources
  return {
    id: `table ${table}, bucket ${bucket}`,
    bucket,
    service,
    state: { client: createDynamoClient(), table },
    catalog: () => readCatalogEpochs(cloudFormation, stackName),
  }
}

async function promoteFolder(dataDir: string, stackName: string): Promise<void> {
  const { id, bucket, service, state, catalog: readCatalog } = await openStack(stackName)
  const catalog = await readCatalog()
  const source = openSource({ dataDir, target: id, compactionMemoryMb: COMPACTION_MEMORY_MB, clock, log })
  try {
    const lake = createS3Lake({ client: createS3Client(), bucket })
    const target = { service, catalog, state, lake, texts: promotionTexts.stack }
    const ending = await promote({ source, target, clock, print: console.log })
    console.log(promotionTexts.stack.endings[ending].join('\n'))
  } finally {
    source.close()
  }
}

async function moveBack(dataDir: string, stackName: string, isLast: boolean): Promise<void> {
  const { id, bucket, service, state } = await openStack(stackName)
  const s3 = createS3Client()
  await assertMovable(state, createS3Lake({ client: s3, bucket }))
  const streamArn = await service.streamArn()
  const arrival = openArrival(dataDir, id)
  try {
    const stops = {
      wereSeen: () => arrival.note().is_stopped,
      note: () => arrival.change({ is_stopped: true }),
    }
    const source = { ...{ id, state, s3, bucket, stack: service, stops }, copied: arrival.copied }
    // A copy beside the stack comes first: a disk that is too small is found, and the stop is shorter.
    const copies = isLast && !stops.wereSeen() ? [false, true] : [isLast]
    const stream = createKinesisStream({ client: createKinesisClient(), streamArn, log })
    const folder = { dataDir, arrival, stream, compactionMemoryMb: COMPACTION_MEMORY_MB, clock, log }
    const target = await openTarget(folder)
    try {
      let ending: Promotion = 'ahead'
      for (const isLastCopy of copies) {
        if (ending !== 'ahead') break
        const opened = await openStackSource({ ...source, isLast: isLastCopy, print: console.log })
        ending = await promote({ source: opened, target, clock, print: console.log })
      }
      console.log(promotionTexts.folder.endings[ending].join('\n'))
    } finally {
      await target.close()
    }
  } finally {
    arrival.close()
  }
}

async function cancelBack(dataDir: string, stackName: string): Promise<void> {
  const { id, service } = await openStack(stackName)
  assertBegun(dataDir)
  const arrival = openArrival(dataDir, id)
  try {
    await cancelMove(dataDir, arrival, service.startWriters)
    console.log('The stack runs as before, and stores the events that have waited in its stream.')
  } finally {
    arrival.close()
  }
}

function log(...[code, fields]: Parameters<Log>): void {
  console.error(JSON.stringify({ code, ...fields }))
}

/** What went wrong, then what to do. */
function operatorMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n${USE}`
  if (error instanceof FolderError || error instanceof PromotionError) return message
  const advice = adviceFor(error as Error)
  return `${message}\n${advice ?? 'Nothing is lost. Run the same command again: it continues.'}`
}
