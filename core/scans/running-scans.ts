import type { Clock } from '#core/ports'
import { conditionHeld, orUnavailable, type StateTable } from '#core/state-table'
import type { ScanKey, ScanMode } from './scan.ts'

/** A running analysis. It has ended, or begins again, at `until` (Unix ms). */
export type RunningScan = ScanKey & { hostname: string; until: number }

/** Why an analysis cannot begin now: another one of the host runs, or too many run. */
export type Busy = {
  reason: 'host' | 'full'
  /** When there is room again at the latest, Unix ms. */
  until: number
  /** The analysis of the host that runs. */
  running?: RunningScan
}

/** Analyses that run at the same time; the item that lists them has as many entries. */
export const MAX_RUNNING = 8
/** Every analysis is decided in this time after it began, ms (core/scans/scan-worker.ts ends it earlier). */
export const RUN_MS = { preview: 75_000, full: 200_000 } as const

type RunnableScan = ScanKey & { hostname: string; mode: ScanMode }

const KEY = { pk: 'scans', sk: 'running' }
const MAX_TRIES = 20

/**
 * The analyses that run now: one item, and each change of it is one conditional write. So two analyses of a
 * host never run at the same time, and after a kill the list says what to begin again.
 */
export function createRunningScans({ clock, client, table }: StateTable & { clock: Clock }) {
  async function read(): Promise<{ version: number; scans: RunningScan[] }> {
    const { Item } = await orUnavailable(client.get({ TableName: table, Key: KEY, ConsistentRead: true }))
    return { version: Number(Item?.version ?? 0), scans: (Item?.scans ?? []) as RunningScan[] }
  }

  /**
   * Changes the list until no other change comes between. `change` returns null if there is nothing to do.
   */
  async function changeList(change: (scans: RunningScan[]) => RunningScan[] | null): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { version, scans } = await read()
      const changed = change(scans)
      if (changed === null) return false
      const written = client.put({
        TableName: table,
        Item: { ...KEY, version: version + 1, scans: changed },
        ConditionExpression: 'attribute_not_exists(pk) OR version = :version',
        ExpressionAttributeValues: { ':version': version },
      })
      if (await conditionHeld(written)) return true
      await clock.sleep(10 * Math.random() * (tries + 1))
    }
    throw new Error('the list of running analyses changes all the time')
  }

  /** What would keep an analysis of the host from running; null: nothing. */
  async function busyFor(hostname: string): Promise<Busy | null> {
    return judge((await read()).scans, hostname)
  }

  function judge(scans: readonly RunningScan[], hostname: string): Busy | null {
    const current = scans.filter(({ until }) => until > clock.now())
    const ofHost = current.find(scan => scan.hostname === hostname)
    if (ofHost !== undefined) return { reason: 'host', until: ofHost.until, running: ofHost }
    if (current.length < MAX_RUNNING) return null
    return { reason: 'full', until: Math.min(...current.map(({ until }) => until)) }
  }

  /** Takes a place in the list; returns why there is none, or null. */
  async function admit({ account_id, id, hostname, mode }: RunnableScan): Promise<Busy | null> {
    let busy: Busy | null = null
    await changeList(scans => {
      busy = judge(scans, hostname)
      if (busy !== null) return null
      const until = clock.now() + runMs(mode)
      // An entry that is over belongs to a worker that was killed. Its analysis has ended for its readers.
      return [...scans.filter(scan => scan.until > clock.now()), { account_id, id, hostname, until }]
    })
    return busy
  }

  /** An analysis begins again: its time starts anew. Returns false if its place was given to another. */
  function renew({ id, mode }: Pick<RunnableScan, 'id' | 'mode'>): Promise<boolean> {
    return changeList(scans =>
      scans.some(scan => scan.id === id)
        ? scans.map(scan => (scan.id === id ? { ...scan, until: clock.now() + runMs(mode) } : scan))
        : null,
    )
  }

  async function release({ id }: Pick<ScanKey, 'id'>): Promise<void> {
    await changeList(scans =>
      scans.some(scan => scan.id === id) ? scans.filter(scan => scan.id !== id) : null,
    )
  }

  async function list(): Promise<RunningScan[]> {
    return (await read()).scans
  }

  return { busyFor, admit, renew, release, list }
}

function runMs(mode: ScanMode): number {
  return mode === 'full' ? RUN_MS.full : RUN_MS.preview
}

export type RunningScans = ReturnType<typeof createRunningScans>
