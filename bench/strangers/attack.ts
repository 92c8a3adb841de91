import type { Answers } from './exchange.ts'

/** What an attacker knows of the service, and how it reaches it. */
export type Door = {
  port: number
  /** Name and public token of the attacked project. */
  project: string
  token: string
  /** Secrets of two share links of the project. */
  links: readonly string[]
  /** Loopback addresses that the attacker connects from. The neighbours connect from another one. */
  from: readonly [string, string]
  /** 1: the numbers that each attack states. Less: fewer connections and requests, for a short run. */
  size: number
}

/** What the bench, which has the owner's key and the data folder, looks at beside the neighbours. */
export type Witness = { port: number; key: string; project: string; dataDir: string }

export type Attack = {
  name: string
  /** What the attacker does at size 1. */
  does: string
  /** How long the neighbours are measured meanwhile at size 1, s. */
  seconds: number
  /** The attack has a number of requests, and the neighbours are measured until it is done. */
  isCounted?: boolean
  /** What the service of this attack needs beside the usual. */
  service?: {
    /** `ulimit -n` of the service. */
    openFiles?: number
    /** The setting LIMITS. */
    limits?: string
    /** Events of the last 29 days that the project has. Default: EVENTS. */
    events?: number
  }
  /** Runs in the attacker's process until it is done or `stopping` aborts. Returns what it was answered. */
  run(door: Door, stopping: AbortSignal): Promise<Answers>
  /** Called before the attack, and again at its end while it still runs. */
  witness?(witness: Witness): Promise<string>
}

/** The service has so many events if the attack does not say how many. */
export const EVENTS = 40_000

/** A number of the issue for this run, at least 1. */
export function scaled(count: number, { size }: Pick<Door, 'size'>): number {
  return Math.max(1, Math.round(count * size))
}
