import { parentPort, workerData } from 'node:worker_threads'
import { lazily } from '#core/async/lazily'
import { createOutboundClient } from '#core/outbound/outbound-client'
import type { AddressPolicy } from '#core/outbound/public-url'
import { profiles } from '#core/plans/profile'
import type { Log, Network } from '#core/ports'
import { openScanWorker } from '#core/scans/open-scan-worker'
import { createSiteVisitor, type SiteVisitorServices } from '#core/scans/visit-site'
import { createStores } from '#core/stores'
import { browserTempDir, statePath } from '#local/data-folder'
import { connectState } from '#local/state/state'
import { createRenderer } from '#providers/chromium/create-renderer'
import { systemClock as clock } from '#providers/system-clock'
import type { TextModel } from '#scanner/polish/text-model'
import { openSiteReader } from '#scanner/read/open-site-reader'
import { createChromiumFinder } from './find-chromium.ts'
import { beat, type Pulse, watchSlot } from './pulse.ts'
import type { ScanCommand, ScanMessage, ScanStart } from './scan-thread.ts'

export type ScanThreadServices = {
  network: Network
  /** Only tests have these: their sites are on loopback, and some pages never end. */
  policy?: AddressPolicy
  openReader?: SiteVisitorServices['openReader']
}

/** How often the thread says that it lives, ms: several times between two looks of its parent. */
const BEAT_MS = 250

/**
 * The code of the thread of website analyses: reading a large page takes a second of CPU, which no request
 * must wait for. It opens its own connection to the state, and runs until it is told to stop.
 */
export function runScanThread({ network, policy, openReader = openSiteReader }: ScanThreadServices): void {
  const port = parentPort
  if (port === null) throw new Error('This file runs only as a worker thread. Call startScanThread.')
  const { dataDir, userAgent, chromiumPath, fence, textModel, pulse } = workerData as ScanStart & {
    pulse: Pulse
  }
  const slots = new Map<string, number>()
  const stopping = new AbortController()
  const send = (message: ScanMessage) => port.postMessage(message)
  const log: Log = (code, fields = {}) => send({ kind: 'log', code, fields })
  const state = connectState(statePath(dataDir))
  const client = createOutboundClient({ network, userAgent, clock, ...(policy && { policy }) })
  const findChromium = createChromiumFinder(dataDir, chromiumPath)
  const renderer = createRenderer({ client, findChromium, fence, tempDir: browserTempDir(dataDir) })
  const worker = openScanWorker({
    ...createStores(state, clock),
    ...{ client: state.client, table: state.table, clock, log },
    visitor: createSiteVisitor({ client, renderer, openReader, clock }),
    profile: profiles.own,
    textModel: textModel === undefined ? null : createLazyModel(textModel),
    stopping: stopping.signal,
    watchOf: ({ id }) => watchSlot(pulse, slots.get(id) ?? 0),
  })
  const runs = new Set<Promise<void>>()

  async function run({ job, slot }: Extract<ScanCommand, { kind: 'run' }>): Promise<void> {
    slots.set(job.id, slot)
    try {
      await worker.run(job)
      send({ kind: 'done', id: job.id })
    } catch (error) {
      // The analysis stays in the list of those that run, and begins again with the next start.
      if (!stopping.signal.aborted) log('JOB_FAILED', { job: 'scan', error: String(error) })
      send({ kind: 'done', id: job.id })
    }
    slots.delete(job.id)
  }

  setInterval(beat, BEAT_MS, pulse).unref()
  port.on('message', async (command: ScanCommand) => {
    if (command.kind === 'run') {
      const running = run(command)
      runs.add(running)
      await running
      runs.delete(running)
      return
    }
    stopping.abort(new Error('The service stops.'))
    await Promise.all(runs)
    await state.close()
    port.close()
  })
}

/** The SDK of AWS is loaded by the first request, so that machines without a model never load it. */
function createLazyModel(modelId: string): TextModel {
  const open = lazily(async function openModel() {
    const [{ createBedrockClient }, { createBedrockModel }] = await Promise.all([
      import('#providers/bedrock/create-bedrock-client'),
      import('#providers/bedrock/create-bedrock-model'),
    ])
    return createBedrockModel(createBedrockClient(), modelId)
  })
  return { ask: async (request, signal) => (await open()).ask(request, signal) }
}
