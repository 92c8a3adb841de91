import type { Clock } from '#core/ports'
import { readItem } from '#core/state/read-items'
import { conditionHeld, type StateTable } from '#core/state/state-table'
import type { ScanKey, ScanMode } from './scan.ts'

/** A running analysis. It has ended, or begins again, at `until` (Unix ms). */
export type RunningScan = ScanKey & {
  hostname: string
  until: number
  /** Of an analysis without an account: a name of the network that asked for it. */
  network?: string | undefined
}

/**
 * Why an analysis cannot begin now: another one of the host runs, too many run, or too many of a network
 * without an account.
 */
export type Busy = {
  reason: 'host' | 'full' | 'network'
  /** When there is room again at the latest, Unix ms. */
  until: number
  /** How many may run at the same time. */
  limit: number
  /** The analysis of the host that runs. */
  running?: RunningScan
}

/** Analyses that run at the same time; the item that lists them has as many entries. */
export const MAX_RUNNING = 8
/**
 * Of these, analyses without an account: all of them, and those of one network. Anybody can let each of them
 * wait for hosts that do not answer, so most places are kept for accounts.
 */
export const MAX_ANONYMOUS = { all: 3, network: 2 } as const
/** Every analysis is decided in this time after it began, ms (core/scans/scan-worker.ts ends it earlier). */
export const RUN_MS = { preview: 75_000, full: 200_000 } as const

type RunnableScan = ScanKey & { hostname: string; mode: ScanMode }

const KEY = { pk: 'scans', sk: 'running' }
const MAX_TRIES = 20

/**
 * The analyses that run now: one item, and each change of it is one conditional write. So two analyses of a
 * host never run at the same time, and after a kill the list says what to begin again.
 */
export function createRunningScans({
  clock,
  client,
  table,
  maxAnonymous = MAX_ANONYMOUS.all,
}: StateTable & { clock: Clock; maxAnonymous?: number | undefined }) {
  async function read(): Promise<{ version: number; scans: RunningScan[] }> {
    const Item = await readItem({ client, table }, KEY)
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

  /**
   * What would keep an analysis of the host from running; null: nothing. `network`: of a request without an
   * account.
   */
  async function busyFor(hostname: string, network?: string): Promise<Busy | null> {
    return judge((await read()).scans, hostname, network)
  }

  function judge(scans: readonly RunningScan[], hostname: string, network: string | undefined): Busy | null {
    const current = scans.filter(({ until }) => until > clock.now())
    const ofHost = current.find(scan => scan.hostname === hostname)
    if (ofHost !== undefined) return { reason: 'host', limit: 1, until: ofHost.until, running: ofHost }
    if (network !== undefined) {
      const anonymous = current.filter(scan => scan.network !== undefined)
      const ofNetwork = anonymous.filter(scan => scan.network === network)
      if (ofNetwork.length >= MAX_ANONYMOUS.network) {
        return { reason: 'network', limit: MAX_ANONYMOUS.network, until: firstEnd(ofNetwork) }
      }
      if (anonymous.length >= maxAnonymous) {
        return { reason: 'full', limit: maxAnonymous, until: firstEnd(anonymous) }
      }
    }
    return current.length < MAX_RUNNING
      ? null
      : { reason: 'full', limit: MAX_RUNNING, until: firstEnd(current) }
  }

  /** Takes a place in the list; returns why there is none, or null. */
  async function admit(
    { account_id, id, hostname, mode }: RunnableScan,
    network?: string,
  ): Promise<Busy | null> {
    let busy: Busy | null = null
    await changeList(scans => {
      busy = judge(scans, hostname, network)
      if (busy !== null) return null
      const until = clock.now() + runMs(mode)
      // An entry that is over belongs to a worker that was killed. Its analysis has ended for its readers.
      const entry = { account_id, id, hostname, until, ...(network !== undefined && { network }) }
      return [...scans.filter(scan => scan.until > clock.now()), entry]
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

/** When the first of these has ended at the latest, Unix ms. */
function firstEnd(scans: readonly RunningScan[]): number {
  return Math.min(...scans.map(({ until }) => until))
}

function runMs(mode: ScanMode): number {
  return mode === 'full' ? RUN_MS.full : RUN_MS.preview
}

export type RunningScans = ReturnType<typeof createRunningScans>
