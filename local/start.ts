import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { createArrivalOrder } from '#core/ingest/ids'
import type { Log } from '#core/ports'
import type { Credentials } from '#schemas/owner'
import { credentialsPath, readCredentials, writeCredentials } from './credentials-file.ts'
import { collectGarbage } from './demo/collect-garbage.ts'
import { demoPage } from './demo/demo-page.ts'
import { DEMO_EVENTS, isSeedUnfinished, seedDemo } from './demo/seed.ts'
import { openFunctions } from './functions.ts'
import { freePort, listen } from './http/listen.ts'
import { lockFolder } from './lock.ts'
import { ensureOwner } from './owner.ts'
import { startPipeline } from './pipeline/thread.ts'
import type { Settings } from './settings.ts'
import { openStorage, type Storage } from './storage.ts'

export type Service = {
  credentials: Credentials
  /** Finishes what is under way and closes all files. */
  stop(): Promise<void>
}

/** Tells the operator what is going on: a word, and what there is to say. */
export type Tell = (word: string, text: string) => void

/**
 * Starts the service of one machine. Rejects with an error for the operator (FolderError, PortError) or with a defect;
 * the process should end then. Killed at any point, the next start goes on from what it finds.
 */
export async function startService(settings: Settings, log: Log, tell: Tell): Promise<Service> {
  const { DATA_DIR } = settings
  const clock = { now: Date.now }
  const lock = lockFolder(DATA_DIR)
  const known = readCredentials(DATA_DIR)
  const port = settings.PORT === 0 ? await freePort(settings.HOST) : settings.PORT
  const baseUrl = settings.BASE_URL ?? `http://localhost:${port}`

  const storage = await openStorage(DATA_DIR, clock, log)
  const isNew = await storage.isNew()
  if (known === null) tell('first', 'making an owner account, an API key and the project demo')
  const { credentials, project } = await ensureOwner(storage, known, baseUrl)
  const pipeline = await startPipeline(
    {
      dataDir: DATA_DIR,
      stateEndpoint: storage.stateEndpoint,
      compactionMemoryMb: settings.COMPACTION_MEMORY_MB,
      epochMs: settings.EPOCH_SECONDS * 1_000,
      retentionMs: settings.STREAM_RETENTION_MINUTES * 60_000,
    },
    log,
  )
  const services = await openFunctions(settings, storage, { baseUrl, clock, log, repair: pipeline.repair })
  const { functions } = services
  const http = await listen({
    port,
    host: settings.HOST,
    functions,
    extra: demoSite(credentials, DATA_DIR),
    log,
  })
  if (known === null || known.base_url !== baseUrl) writeCredentials(DATA_DIR, credentials)
  if (project !== null && ((isNew && settings.SEED_DEMO) || isSeedUnfinished(DATA_DIR))) {
    tell('demo', `${DEMO_EVENTS} events of the last 30 days go into the project ${project.name}`)
    await seedDemo({ dataDir: DATA_DIR, stream: storage.stream, ids: createArrivalOrder(), clock }, project)
    await untilStored(storage, project.id, DEMO_EVENTS, tell)
    collectGarbage()
  }
  return {
    credentials,
    async stop() {
      await http.close()
      await pipeline.stop()
      await services.close()
      await storage.close()
      lock.release()
    },
  }
}

/** Serves the demo pages, which are not part of the API. */
function demoSite({ base_url, project, project_token }: Credentials, dataDir: string) {
  const site = { baseUrl: base_url, project, token: project_token, credentialsFile: credentialsPath(dataDir) }
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    const page = isRead ? demoPage((request.url ?? '/').split('?', 1)[0] as string, site) : null
    if (page === null) return false
    response.writeHead(page.status, { ...page.headers, 'Content-Length': Buffer.byteLength(page.body) })
    response.end(page.body)
    return true
  }
}

/**
 * Waits until the seed can be read, and tells how far it is. The counters say the latter only: a seed that was sent
 * again after a kill is counted twice until compaction has dropped the copies.
 */
async function untilStored(storage: Storage, projectId: string, events: number, tell: Tell): Promise<void> {
  for (let told = Date.now(); ; await sleep(50)) {
    if (await storage.isDrained()) return
    if (Date.now() - told < 1_000) continue
    told = Date.now()
    const stored = Math.min(events, (await storage.usage.totals(projectId)).events)
    tell('demo', `${stored} of ${events} events are in the lake`)
  }
}
