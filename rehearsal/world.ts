import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AthenaEmulator, startAthenaEmulator } from '#test/support/athena-emulator'
import { type Deployment, type DeploymentFile, deployment } from '#test/support/deployment'
import { keepPort } from '#test/support/keep-port'
import { installTrino, startTrino } from '#test/trino/trino-server'
import { type AwsClients, createAwsClients } from './aws.ts'
import { type Cdk, createCdk, SHORT_EPOCHS } from './cdk.ts'
import { type Consumer, startConsumer } from './consumer.ts'
import { correctEmulator } from './corrections.ts'
import { startEdge } from './edge.ts'
import { checkOutEdition, EDITION } from './edition.ts'
import { type Gate, startGate } from './gate.ts'
import type { Ledger } from './ledger.ts'
import { installMiniStack, type MiniStack, startMiniStack } from './ministack.ts'
import { makeOwner } from './owner.ts'
import { patientEnvironment } from './patience.ts'
import type { MappingSettings } from './poller/settings.ts'
import { readStack, type Stack } from './stack.ts'
import { trinoForAthena } from './trino-for-athena.ts'

/** The default name of the stack. */
const STACK_NAME = 'Footfall'
/** The country of every viewer. */
export const COUNTRY = 'DE'
/** An event waits a minute for the batching window, then for the consumer, then for Trino on two cores. */
const VISIBLE_AFTER_S = 300

/** The service on the emulator, with everything that the checks use. */
export type World = {
  /** Folder for temporary files, deleted at the end. */
  folder: string
  ministack: MiniStack
  aws: AwsClients
  cdk: Cdk
  stack: Stack
  gate: Gate
  athena: AthenaEmulator
  consumer: Consumer
  /** Address and API key of the service, for the journeys. */
  file: DeploymentFile
  service: Deployment
  /** How many times as long everything may take as on a free machine with two cores. */
  patience: number
  /** Aborts when the rehearsal ends. */
  abortSignal: AbortSignal
  /** Deploys the app of this checkout with these options. Returns what the CLI printed. */
  redeploy(options?: Record<string, string>): Promise<string>
  /** Reads the deployed stack again. */
  readStack(): Promise<Stack>
}

export type Closers = { add(close: () => Promise<unknown>): void; closeAll(): Promise<void> }

/** Collects functions that close resources. `closeAll` calls them in reverse order, and prints errors. */
export function createClosers(): Closers {
  const closers: (() => Promise<unknown>)[] = []
  return {
    add: close => closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0).reverse()) {
        await close().catch(error => console.error(`Closing failed: ${error}`))
      }
    },
  }
}

/**
 * Starts an emulator of AWS and deploys the service to it: the app of this checkout, or an earlier edition,
 * which `redeploy` updates to the app of this checkout.
 */
export async function openWorld(
  { step }: Ledger,
  closers: Closers,
  { patience, isUpgrade }: { patience: number; isUpgrade: boolean },
): Promise<World> {
  await step('install MiniStack and Trino', async () => {
    await installMiniStack()
    await installTrino()
  })
  const folder = await mkdtemp(join(tmpdir(), 'footfall-rehearsal-'))
  closers.add(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))

  const trino = { resolve: (_: string) => {}, reject: (_: unknown) => {} }
  const trinoUrl = new Promise<string>((resolve, reject) => Object.assign(trino, { resolve, reject }))
  trinoUrl.catch(() => {})
  const athena = await startAthenaEmulator(trinoForAthena(trinoUrl))
  closers.add(() => athena.stop())
  const gate = await startGate()
  closers.add(() => gate.stop())

  const ministack = await step('start MiniStack, an emulator of AWS', () =>
    startMiniStack({
      folder,
      port: gate.port,
      env: {
        // The emulator checks signatures and the rights of the functions' roles.
        AUTH: 'true',
        AWS_ENDPOINT_URL: gate.endpoint,
        AWS_ENDPOINT_URL_ATHENA: athena.endpoint,
        ...patientEnvironment(patience),
      },
    }),
  )
  closers.add(() => ministack.stop())
  gate.forwardTo(ministack.endpoint)

  // Trino starts during the deployment. It looks tables up only when a statement names them.
  const trinoPort = await keepPort(folder)
  const trinoStarted = startTrino({ glue: gate.endpoint }, trinoPort)
  closers.add(async () => (await trinoStarted.catch(() => null))?.stop())
  trinoStarted.then(
    ({ url }) => trino.resolve(url),
    error => trino.reject(error),
  )

  const cdk = createCdk(gate.endpoint, folder)
  closers.add(async () => cdk.stop())
  await step('cdk bootstrap', () => cdk.bootstrap())
  const { outputs } = isUpgrade
    ? await deployEdition(step, gate, closers, folder)
    : await step('cdk deploy, with the processor of this machine as its only option', () => cdk.deploy())
  await step('start Trino, which replaces Athena', () => trinoUrl)

  const aws = createAwsClients(gate.endpoint)
  const stack = await readStack(aws, outputs, STACK_NAME)
  await correctEmulator(aws, stack, { port: gate.port, patience })
  const consumer = await step(
    'start our poller with the settings of the deployed mapping',
    () => startConsumer(aws, stack),
    ({ settings }) => settingsText(settings),
  )
  closers.add(() => consumer.stop())
  const edge = await startEdge({
    emulator: gate.endpoint,
    host: new URL(stack.baseUrl).hostname,
    apiId: stack.apiId,
    edgeKey: stack.edgeKey,
    country: COUNTRY,
  })
  closers.add(() => edge.stop())

  const owner = await step("create the owner's account, an API key and a project", () =>
    makeOwner(aws, stack),
  )
  const file = {
    base_url: owner.base_url,
    api_key: owner.api_key,
    setup_link: owner.setup_link,
    reached_at: { url: edge.url, tls_port: edge.tlsPort },
    visible_within_s: VISIBLE_AFTER_S * patience,
  }
  const abortController = new AbortController()
  closers.add(async () => abortController.abort())
  return {
    folder,
    ministack,
    aws,
    cdk,
    stack,
    gate,
    athena,
    consumer,
    file,
    patience,
    abortSignal: abortController.signal,
    service: deployment(file, async () => {}),
    readStack: () => readStack(aws, outputs, STACK_NAME),
    async redeploy(options) {
      const { output } = await cdk.deploy(options)
      await correctEmulator(aws, stack, { port: gate.port, patience })
      return output
    },
  }
}

/** Deploys the earlier edition, with short epochs. */
async function deployEdition(step: Ledger['step'], gate: Gate, closers: Closers, folder: string) {
  const app = await step(`check out the earlier edition ${EDITION}, and install its packages`, () =>
    checkOutEdition(folder),
  )
  // It does not know the option that protects a stack.
  const cdk = createCdk(gate.endpoint, folder, { app, always: {} })
  closers.add(async () => cdk.stop())
  return step('cdk deploy of the earlier edition', () => cdk.deploy(SHORT_EPOCHS))
}

function settingsText(settings: MappingSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
