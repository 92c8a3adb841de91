import { type ChildProcess, fork } from 'node:child_process'
import type { LinksEngine } from '#core/identity/links/links-engine'
import type { Compactor } from '#core/lake/model/compactor'
import type { Log } from '#core/ports'
import { caught } from '#local/caught'
import { execArgv } from '#local/thread-options'
import type { LogCode } from '#schemas/log'

/** What the process of compaction does: it runs the engines that write files of the lake with DuckDB. */
export type CompactionEngines = { compactor: Compactor; links: LinksEngine }

/** Settings for the process: its first argument, as JSON. */
export type CompactionStart = {
  dataDir: string
  memoryMb: number
  /** Low: the service goes first when both cores are busy. */
  priority: 'low' | 'normal'
}

export type CompactionCall = {
  id: number
  engine: keyof CompactionEngines
  method: string
  args: readonly unknown[]
}

export type CompactionMessage =
  | { kind: 'log'; code: LogCode; fields: Record<string, unknown> }
  | { kind: 'done'; id: number; result: unknown }
  | { kind: 'failed'; id: number; error: unknown }

export type CompactionServices = {
  log: Log
  /** Ends the process when it aborts. Calls then reject with its reason. */
  signal: AbortSignal
  /** The process ends when it has had no call for this time, ms. */
  idleMs?: number
  /** Runs before a process begins. It ends that of the other priority, if that one has no call. */
  makeRoom?: () => Promise<void>
}

export type CompactionProcess = CompactionEngines & {
  /** Ends the process at once. Call it when no call runs. */
  stop(): Promise<void>
  /** Ends the process at once if it has no call, so that its memory is free for another one. */
  endIdle(): Promise<void>
}

/** Maintenance sends jobs every 5 s. The process must not end between two of them. */
const IDLE_MS = 10_000
/** The size of Node's thread pool in the process, which reads files and runs statements of DuckDB. */
const THREADS = 4

const COMPACTOR_METHODS: Record<keyof Compactor, true> = {
  compactEpoch: true,
  mergeSegments: true,
  rewriteSegment: true,
  rewriteHot: true,
  mergeTombstones: true,
  describeSegment: true,
}
const LINKS_METHODS: Record<keyof LinksEngine, true> = { merge: true, next: true, idsOf: true, remove: true }

/**
 * Runs compactions in a process of their own (local/compaction/process.ts), which begins with the first call
 * and ends when there is no work. So requests and the pipeline can go first, the memory goes back to the
 * system, and an internal error of DuckDB does not end the service. When the process ends early, its calls
 * reject, and the next call begins another one.
 */
export function startCompaction(
  start: CompactionStart,
  { log, signal, idleMs = IDLE_MS, makeRoom = async () => {} }: CompactionServices,
): CompactionProcess {
  let current: ChildProcess | null = null
  let idle: NodeJS.Timeout | undefined
  let lastId = 0
  const calls = new Map<number, PromiseWithResolvers<unknown>>()

  function begin(): ChildProcess {
    const child = fork(new URL('./process.ts', import.meta.url), [JSON.stringify(start)], {
      execArgv,
      serialization: 'advanced',
      // modules.mjs starts a process again that lacks MALLOC_ARENA_MAX. The channel between the two processes
      // would be lost then.
      env: { MALLOC_ARENA_MAX: '2', ...process.env, UV_THREADPOOL_SIZE: String(THREADS) },
    })
    child.on('message', (message: CompactionMessage) => {
      if (message.kind === 'log') log(message.code, message.fields)
      else if (message.kind === 'done') calls.get(message.id)?.resolve(message.result)
      else calls.get(message.id)?.reject(message.error)
    })
    child.on('error', error => leave(child, error))
    child.on('exit', (code, killedBy) =>
      leave(child, new Error(`The process of compaction has ended with ${killedBy ?? code}.`)),
    )
    return child
  }

  async function call(engine: keyof CompactionEngines, method: string, args: unknown[]): Promise<unknown> {
    signal.throwIfAborted()
    clearTimeout(idle)
    if (current === null) await makeRoom()
    // The service may have stopped meanwhile, and another call may have begun.
    signal.throwIfAborted()
    clearTimeout(idle)
    current ??= begin()
    lastId += 1
    const id = lastId
    const result = Promise.withResolvers<unknown>()
    calls.set(id, result)
    current.send({ id, engine, method, args } satisfies CompactionCall)
    try {
      return await result.promise
    } finally {
      calls.delete(id)
      if (calls.size === 0) idle = setTimeout(caught(log, 'end of compaction', end), idleMs)
    }
  }

  /** Rejects the calls of the process. The next call starts another process. */
  function leave(child: ChildProcess, reason: unknown): void {
    if (current !== child) return
    current = null
    for (const { reject } of calls.values()) reject(reason)
  }

  async function end(): Promise<void> {
    clearTimeout(idle)
    const child = current
    if (child === null) return
    const exit = new Promise(resolve => child.once('exit', resolve))
    leave(child, signal.reason)
    child.kill('SIGKILL')
    await exit
  }
  signal.addEventListener('abort', end)

  function engine<Engine extends object>(
    name: keyof CompactionEngines,
    methods: Record<keyof Engine, true>,
  ): Engine {
    const entries = Object.keys(methods).map(method => [
      method,
      (...args: unknown[]) => call(name, method, args),
    ])
    return Object.fromEntries(entries)
  }

  return {
    compactor: engine<Compactor>('compactor', COMPACTOR_METHODS),
    links: engine<LinksEngine>('links', LINKS_METHODS),
    stop: end,
    endIdle: async () => {
      if (calls.size === 0) await end()
    },
  }
}

/**
 * Compaction of both priorities. A job has one of them, and the process of the other one ends when it begins:
 * the memory of an idle DuckDB goes back at once, not after `idleMs`. Only while links are merged may both
 * be there.
 */
export function startBothCompactions(start: Omit<CompactionStart, 'priority'>, services: CompactionServices) {
  const open = (priority: CompactionStart['priority'], other: () => CompactionProcess) =>
    startCompaction({ ...start, priority }, { ...services, makeRoom: () => other().endIdle() })
  const low: CompactionProcess = open('low', () => normal)
  const normal: CompactionProcess = open('normal', () => low)
  return { low, normal }
}
