import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CloudFormationClient } from '@aws-sdk/client-cloudformation'
import { LambdaClient } from '@aws-sdk/client-lambda'
import { createDynamoClient, createS3Client, createSecretsManagerClient, createSqsClient } from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { PromotionError, promote } from '#core/promote/promote'
import { readCatalogEpochs } from '#lib/restore/catalog-epochs'
import { createPromotionStack } from '#lib/restore/promotion-stack'
import { readServiceResources } from '#lib/restore/service-resources'
import { createWait } from '#lib/restore/wait'
import { FolderError } from '#local/lock'
import { openSource } from '#local/promote/source'
import { systemClock as clock } from '#providers/system-clock'

// `npm run promote -- --data /var/lib/footfall --stack Footfall` moves all that one machine has to a
// deployed, empty stack (docs/promote.md). Killed, it continues when it is run again.

/** The function `restore` takes up to 15 minutes. */
const CALL_MS = 16 * 60_000
/** Memory of an upgrade of the lake, MB, as the service has it by itself. */
const COMPACTION_MEMORY_MB = 256

const USE = 'Use: npm run promote -- [--data FOLDER] [--stack NAME]'

const ENDINGS = {
  ahead: [
    'The service runs, so this copy is of now, and the stack waits for the rest: it takes events and keeps them for the last copy; all else there gets 503.',
    'Now point the name of the service to the stack, so that no event is lost. When nothing comes to this machine any more, stop the service here, and run the same command again within a day.',
  ],
  done: [
    'The stack has everything and runs. Keys, tokens and share links work there as they did here, once the name of the service leads to the stack.',
    'No service starts on this folder any more. Delete it when you have looked at the stack for some days.',
  ],
  unchanged: ['This folder is promoted already. Nothing was changed.'],
}

try {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { data: text, stack: { ...text, default: 'Footfall' } },
  })
  await promoteFolder(resolve(values.data ?? (process.env.DATA_DIR || '.footfall')), values.stack)
} catch (error) {
  console.error(operatorMessage(error))
  process.exitCode = 1
}

async function promoteFolder(dataDir: string, stackName: string): Promise<void> {
  const cloudFormation = new CloudFormationClient()
  const resources = await readServiceResources(cloudFormation, stackName)
  const catalog = await readCatalogEpochs(cloudFormation, stackName)
  const stack = createPromotionStack(
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
  const source = openSource({
    ...{
      dataDir,
      target: `table ${table}, bucket ${bucket}`,
      compactionMemoryMb: COMPACTION_MEMORY_MB,
      clock,
    },
    log: (code, fields) => console.error(JSON.stringify({ code, ...fields })),
  })
  try {
    const target = {
      stack,
      catalog,
      state: { client: createDynamoClient(), table },
      lake: createS3Lake({ client: createS3Client(), bucket }),
    }
    const ending = await promote({ source, target, clock, print: console.log })
    console.log(ENDINGS[ending].join('\n'))
  } finally {
    source.close()
  }
}

/** What went wrong, then what to do. */
function operatorMessage(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  if (code?.startsWith('ERR_PARSE_ARGS')) return `${message}\n${USE}`
  if (error instanceof FolderError || error instanceof PromotionError) return message
  return `${message}\nNothing is lost. Run the same command again: it continues.`
}
