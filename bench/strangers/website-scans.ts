import { setTimeout as sleep } from 'node:timers/promises'
import type { Attack, Witness } from './attack.ts'
import { type Answers, count, exchange } from './exchange.ts'
import { hostOfSite, type Site } from './site-server.ts'

/** The next host of each site that this process has analysed: an analysis of a known host is not repeated. */
const hosts = new Map<Site, number>()

function nextHost(site: Site): string {
  const number = (hosts.get(site) ?? 0) + 1
  hosts.set(site, number)
  return hostOfSite(site, number)
}

/** Keeps one anonymous analysis of a site running. */
async function keepScanning(
  { port, from }: { port: number; from: readonly string[] },
  sites: readonly Site[],
  answers: Answers,
  stopping: AbortSignal,
): Promise<void> {
  for (let i = 0; !stopping.aborted; i++) {
    const body = { url: `http://${nextHost(sites[i % sites.length] as Site)}/` }
    const sent = { method: 'POST', path: '/website-scans', body, from: from[0] as string } as const
    const { outcome } = await exchange({ port, ...sent })
    count(answers, outcome)
    if (outcome === '429') await sleep(1_000)
  }
}

/** The owner begins an analysis of a site that answers at once. */
async function ownersScan({ port, key }: Witness): Promise<string> {
  const { outcome, text, ms } = await exchange({
    ...{ port, method: 'POST', path: '/website-scans', headers: { 'X-API-Key': key } },
    body: { url: `http://${nextHost('plain')}/` },
  })
  const status = /"status":"(\w+)"/.exec(text)?.[1] ?? ''
  return `the owner's analysis: ${outcome} ${status} after ${(ms / 1_000).toFixed(1)} s`
}

export const slowSites: Attack = {
  name: '3a slow pages',
  does: 'anonymous analyses, one after the other, of a page of labels full of blanks (2 KB of gzip, 1.6 MB) and of a robots.txt of 500 KB of blanks',
  seconds: 30,
  witness: ownersScan,
  async run(door, stopping) {
    const answers: Answers = {}
    await Promise.all([
      keepScanning(door, ['labels'], answers, stopping),
      keepScanning(door, ['robots'], answers, stopping),
    ])
    return answers
  },
}

export const silentSites: Attack = {
  name: '3b silent sites',
  does: 'eight anonymous analyses at a time of hosts that accept and never answer',
  seconds: 20,
  witness: ownersScan,
  async run(door, stopping) {
    const answers: Answers = {}
    const eight = Array.from({ length: 8 }, () => keepScanning(door, ['silent'], answers, stopping))
    await Promise.all(eight)
    return answers
  },
}
