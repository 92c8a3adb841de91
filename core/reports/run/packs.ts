import { ApiError } from '#core/errors'
import type { Clock, Log, QueryEngine, QueryStatistics, Row, SqlQuery } from '#core/ports'
import { type Part, packStatements, partOf } from '#core/sql/packed-statement'
import { isTooMuchAtOnce } from '#core/sql/query-failures'
import { isFileCondition } from '#core/sql/sql'

/**
 * A part of a call that runs statements, such as one read of a POST /reads. A pack starts only when every
 * asker of the call waits for its statements or has ended, or after MAX_WAIT_MS.
 */
export type Asker = {
  packs: Packs
  /** The engine, whose statements may run in a pack. */
  packed(engine: QueryEngine): QueryEngine
  /** It asks nothing more. A second call does nothing. */
  end(): void
}

/** The packs of one call. Its reads may ask in one of them. */
export type Packs = { begin(): Asker }

export type PacksServices = {
  log?: Log | undefined
  /** Bounds the wait for a work that is busy. One work alone needs none. */
  clock?: Pick<Clock, 'deadline'> | undefined
}

type RowsOptions = NonNullable<Parameters<QueryEngine['rows']>[1]>

/** A statement that waits for its pack. `engine`: takes the turn of the reader, and counts for a guest. */
type Asked = {
  engine: QueryEngine
  query: SqlQuery
  options: RowsOptions
  resolve(rows: Row[]): void
  reject(reason: unknown): void
}

/** Equal statements: they run once. */
type Equal = { part: Part | null; query: SqlQuery; asked: Asked[] }

/**
 * How much one pack may have. Trino plans at most 150 stages; 16 parts with 24 scans took 47 (measured with
 * Trino 476). `sqlBytes`: without the names of files, because large conditions take long to plan. Athena
 * takes texts of 262,144 bytes; a file is named by an address of some 95 bytes. `fileBytes`: the total size
 * of the files that the statements name. Statements over large files run apart: each may then use the full
 * time and byte limits of one statement, and packing would save only the start.
 */
const MOST = { scans: 32, sqlBytes: 64_000, textBytes: 200_000, fileBytes: 200e6 }
type Size = { [Name in keyof typeof MOST]: number }
const SIZES = Object.keys(MOST) as (keyof Size)[]
const ADDRESS_BYTES = 100

/** Statements run after this time at the latest, also while other work of the call is still busy, ms. */
const MAX_WAIT_MS = 500

/**
 * Packs statements of one call where each statement costs: Athena bills at least 10 MB for one, and starts 20
 * a second. Those that are asked while nothing else of the call runs go into one statement, and their rows
 * go back to who asked. A pack stops when all who asked have left.
 */
export function createPacks({ log = () => {}, clock }: PacksServices = {}): Packs {
  const packs: Packs = { begin }
  let waiting: Asked[] = []
  /** Askers that may still ask before they get rows. */
  let busy = 0

  function begin(): Asker {
    let [unanswered, hasEnded] = [0, false]
    busy++

    /** Runs work for which the asker waits. */
    async function whileWaiting<T>(work: Promise<T>): Promise<T> {
      if (unanswered++ === 0 && !hasEnded) leaveBusy()
      try {
        return await work
      } finally {
        if (--unanswered === 0 && !hasEnded) busy++
      }
    }

    function packed(engine: QueryEngine): QueryEngine {
      if (engine.areScansBilled !== true) return engine
      return {
        ...engine,
        rows: (query, options = {}) =>
          whileWaiting(
            engine.isFree?.(query, options.snapshot) === true
              ? engine.rows(query, options)
              : askLater(engine, query, options),
          ),
      }
    }

    return {
      packs,
      packed,
      end() {
        if (!hasEnded && unanswered === 0) leaveBusy()
        hasEnded = true
      },
    }
  }

  function askLater(engine: QueryEngine, query: SqlQuery, options: RowsOptions): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      options.signal?.throwIfAborted()
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true })
      waiting.push({ engine, query, options, resolve, reject })
      if (waiting.length === 1) runLater()
      runSoon()
    })
  }

  /** Runs what waits now after the longest wait, unless it has run before. */
  function runLater(): void {
    const own = waiting
    clock?.deadline(MAX_WAIT_MS).addEventListener('abort', () => {
      if (waiting === own) runWaiting()
    })
  }

  function leaveBusy(): void {
    busy--
    runSoon()
  }

  /** After the microtasks, in which the same work may ask more. */
  function runSoon(): void {
    setImmediate(() => {
      if (busy === 0) runWaiting()
    })
  }

  function runWaiting(): void {
    const asked = waiting.filter(isStaying)
    waiting = []
    const bySnapshot = Map.groupBy(asked, ({ options }) => options.snapshot)
    for (const ofSnapshot of bySnapshot.values())
      for (const pack of packsOf(mergeEqual(ofSnapshot))) void runPack(pack)
  }

  async function runPack(pack: readonly Equal[]): Promise<void> {
    const [first] = pack
    if (first === undefined) return
    const parts = pack.flatMap(({ part }) => part ?? [])
    if (pack.length === 1 || parts.length < pack.length) return runAlone(first)
    const { query, unpack } = packStatements(parts)
    try {
      const rows = unpack(await runOnce(query, pack))
      pack.forEach(({ asked }, i) => {
        for (const { resolve } of asked) resolve(rows[i] ?? [])
      })
    } catch (error) {
      const staying = pack.filter(({ asked }) => asked.some(isStaying))
      if (!isOfPack(error)) return rejectAll(staying, error)
      log('PACK_FAILED', { parts: pack.length, reason: String(error) })
      await Promise.all(staying.map(runAlone))
    }
  }

  async function runAlone(equal: Equal): Promise<void> {
    try {
      const rows = await runOnce(equal.query, [equal])
      for (const { resolve } of equal.asked) resolve(rows)
    } catch (error) {
      rejectAll([equal], error)
    }
  }

  return packs
}

function isStaying({ options }: Asked): boolean {
  return options.signal?.aborted !== true
}

/** Runs one statement for all who asked for its parts. It stops when all of them have left. */
async function runOnce(query: SqlQuery, pack: readonly Equal[]): Promise<Row[]> {
  const askers = pack.flatMap(({ asked }) => asked)
  const [first] = askers
  if (first === undefined) return []
  const left = new AbortController()
  const leave = (): void => {
    if (!askers.some(isStaying)) left.abort(first.options.signal?.reason)
  }
  for (const { options } of askers) options.signal?.addEventListener('abort', leave, { once: true })
  leave()
  try {
    return await first.engine.rows(query, {
      ...first.options,
      signal: left.signal,
      onStatistics: statistics => {
        for (const [i, { options }] of askers.entries())
          options.onStatistics?.(shareOf(statistics, i, askers.length))
      },
    })
  } finally {
    for (const { options } of askers) options.signal?.removeEventListener('abort', leave)
  }
}

function rejectAll(pack: readonly Equal[], error: unknown): void {
  for (const { asked } of pack) for (const { reject } of asked) reject(error)
}

/**
 * Whether the parts of a failed pack may succeed alone: the pack was too large, or the engine rejected it.
 * Any other failure would happen to the parts too.
 */
function isOfPack(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'QUERY_FAILED' || isTooMuchAtOnce(error)
}

/** What one of `count` askers has of the cost of a statement. The shares add up to the whole. */
function shareOf(statistics: QueryStatistics, index: number, count: number): QueryStatistics {
  const { bytesScanned, rowsScanned, costUsd } = statistics
  const whole = (total: number): number => Math.floor(total / count) + (index < total % count ? 1 : 0)
  return {
    ...statistics,
    bytesScanned: whole(bytesScanned),
    rowsScanned: rowsScanned === null ? null : whole(rowsScanned),
    costUsd: costUsd / count,
  }
}

function mergeEqual(asked: readonly Asked[]): Equal[] {
  const byText = Map.groupBy(asked, ({ query }) => JSON.stringify([query.text, query.params]))
  return [...byText.values()].flatMap(equal => {
    const query = equal[0]?.query
    return query === undefined ? [] : [{ query, part: partOf(query), asked: equal }]
  })
}

/** Puts each statement into the first pack that has room for it. One that cannot be packed is alone. */
function packsOf(statements: readonly Equal[]): Equal[][] {
  const packs: (Size & { statements: Equal[] })[] = []
  const alone = statements.filter(({ part }) => part === null)
  for (const statement of statements) {
    if (statement.part === null) continue
    const size = sizeOf(statement.query, statement.asked[0]?.options.snapshot)
    const pack = packs.find(each => SIZES.every(name => each[name] + size[name] <= MOST[name]))
    if (pack === undefined) packs.push({ ...size, statements: [statement] })
    else {
      for (const name of SIZES) pack[name] += size[name]
      pack.statements.push(statement)
    }
  }
  return [...packs.map(pack => pack.statements), ...alone.map(statement => [statement])]
}

/**
 * The scans of a statement, the bytes of its text, an estimate of the bytes that Athena gets, and the bytes
 * of its files as far as the snapshot knows them.
 */
function sizeOf({ text, params, scans = [] }: SqlQuery, snapshot: RowsOptions['snapshot']): Size {
  const values = params.reduce<number>((sum, param) => sum + bytesOf(param), 0)
  const sqlBytes = Buffer.byteLength(text)
  const files = params.flatMap(param => (isFileCondition(param) ? param.files : []))
  const fileBytes = files.reduce((sum, file) => sum + (snapshot?.sizeOf?.(file)?.bytes ?? 0), 0)
  return { scans: scans.length, sqlBytes, textBytes: sqlBytes + values, fileBytes }
}

function bytesOf(param: SqlQuery['params'][number]): number {
  if (isFileCondition(param)) return param.files.length * ADDRESS_BYTES
  return Buffer.byteLength(String(param)) + ' BIGINT'.length
}
