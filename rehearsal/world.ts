import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAthena } from '#test/support/athena-front'
import { type Deployment, type DeploymentFile, deployment } from '#test/support/deployment'
import { freePort } from '#test/support/service'
import { installTrino, startTrino } from '#test/trino/trino-server'
import { type AwsClients, awsClients } from './aws.ts'
import { type Cdk, createCdk } from './cdk.ts'
import { type Consumer, startConsumer } from './consumer.ts'
import { correctEmulator } from './corrections.ts'
import { startEdge } from './edge.ts'
import { type Gate, startGate } from './gate.ts'
import type { Ledger } from './ledger.ts'
import { installMiniStack, type MiniStack, startMiniStack } from './ministack.ts'
import { makeOwner } from './owner.ts'
import type { MappingSettings } from './poller/settings.ts'
import { readStack, type Stack } from './stack.ts'
import { trinoForAthena } from './trino-for-athena.ts'

/** The name that the app gives its stack. */
const STACK_NAME = 'Footfall'
/** What the edge says of every viewer. */
export const COUNTRY = 'DE'
/** An event waits for the window, which is a minute, then for the consumer and for a statement of Trino on two cores. */
const VISIBLE_WITHIN_S = 300

/** The whole service, deployed to the emulator, with everything that the rehearsal may do to it. */
export type World = {
  /** For files; deleted at the end. */
  folder: string
  ministack: MiniStack
  aws: AwsClients
  cdk: Cdk
  stack: Stack
  gate: Gate
  consumer: Consumer
  /** How the service is reached, and by which key. */
  file: DeploymentFile
  service: Deployment
  /** Aborts when everything is to end. */
  ending: AbortSignal
  /** Deploys again with these options; what the CLI printed. */
  redeploy(options?: Record<string, string>): Promise<string>
}

export type Closers = { add(close: () => Promise<unknown>): void; closeAll(): Promise<void> }

/** What has to be ended, the last first, whatever happens on the way. */
export function createClosers(): Closers {
  const closers: (() => Promise<unknown>)[] = []
  return {
    add: close => closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0).reverse()) {
        await close().catch(error => console.error(`while ending: ${error}`))
      }
    },
  }
}

/** Brings the service up from nothing, as an infra team does, on an emulator of AWS. */
export async function openWorld({ step }: Ledger, closers: Closers): Promise<World> {
  await step('MiniStack and Trino are installed', async () => {
    await installMiniStack()
    await installTrino()
  })
  const folder = await mkdtemp(join(tmpdir(), 'footfall-rehearsal-'))
  closers.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  const trino = { found: (_: string) => {}, failed: (_: unknown) => {} }
  const trinoUrl = new Promise<string>((found, failed) => Object.assign(trino, { found, failed }))
  trinoUrl.catch(() => {})
  const athena = await startAthena(trinoForAthena(trinoUrl))
  closers.add(() => athena.stop())
  const gate = await startGate()
  closers.add(() => gate.stop())

  const ministack = await step('MiniStack, an emulator of AWS, is up', () =>
    startMiniStack({
      folder,
      port: gate.port,
      env: {
        // Rights are evaluated: a function may do what its role allows, and signatures are checked.
        AUTH: 'true',
        AWS_ENDPOINT_URL: gate.endpoint,
        AWS_ENDPOINT_URL_ATHENA: athena.endpoint,
      },
    }),
  )
  closers.add(() => ministack.stop())
  gate.leadTo(ministack.endpoint)

  // Beside the deployment: its tables are looked up when a statement names them.
  const trinoPort = await freePort()
  const trinoStarted = startTrino({ glue: gate.endpoint }, trinoPort)
  closers.add(async () => (await trinoStarted.catch(() => null))?.stop())
  trinoStarted.then(
    ({ url }) => trino.found(url),
    error => trino.failed(error),
  )

  const cdk = createCdk(gate.endpoint, folder)
  closers.add(async () => cdk.stop())
  await step('cdk bootstrap', () => cdk.bootstrap())
  const { outputs } = await step('cdk deploy, with no option but the processor of this machine', () =>
    cdk.deploy(),
  )
  await step('Trino, the engine of Athena, answers over the deployed Glue tables', () => trinoUrl)

  const aws = awsClients(gate.endpoint)
  const stack = await readStack(aws, outputs, STACK_NAME)
  await correctEmulator(aws, stack, gate.port)
  const consumer = await step(
    'the stream is read by the settings of the deployed mapping',
    () => startConsumer(aws, stack),
    ({ settings }) => settingsText(settings),
  )
  closers.add(() => consumer.stop())
  const edge = await startEdge({
    emulator: gate.endpoint,
    host: new URL(stack.baseUrl).hostname,
    apiId: stack.apiId,
    country: COUNTRY,
  })
  closers.add(() => edge.stop())

  const owner = await step("the printed command makes the owner's account, an API key and a project", () =>
    makeOwner(aws, stack),
  )
  const file = {
    base_url: owner.base_url,
    api_key: owner.api_key,
    reached_at: { url: edge.url, tls_port: edge.tlsPort },
    visible_within_s: VISIBLE_WITHIN_S,
  }
  const ending = new AbortController()
  closers.add(async () => ending.abort())
  return {
    folder,
    ministack,
    aws,
    cdk,
    stack,
    gate,
    consumer,
    file,
    ending: ending.signal,
    service: deployment(file, async () => {}),
    async redeploy(options) {
      const { output } = await cdk.deploy(options)
      await correctEmulator(aws, stack, gate.port)
      return output
    },
  }
}

function settingsText(settings: MappingSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
