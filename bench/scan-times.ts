import { fork } from 'node:child_process'
import { once } from 'node:events'
import { sumOf } from '#core/sum'
import { CORPUS } from '#test/scans/corpus/corpus'
import { serveCorpus } from '#test/scans/corpus/serve-corpus'
import type { VisitMeasures, VisitOrder } from './scan-visits.ts'

/**
 * Seconds and memory of a preview and of a full analysis of each site of the corpus (test/scans/corpus/).
 * This process serves the sites, and another one analyses them, as the thread of one machine does, with a
 * browser for the pages that need one. --sites tidyboard,planivo: only these
 */

const only = process.argv.find((_, i, all) => all[i - 1] === '--sites')?.split(',')
const sites = CORPUS.filter(({ name }) => only === undefined || only.includes(name))
const served = await serveCorpus(sites)

type Row = VisitMeasures & { name: string }
const rows: Record<'preview' | 'full', Row[]> = { preview: [], full: [] }
for (const depth of ['preview', 'full'] as const) {
  // A process for each depth, because its peak of memory is that of all its visits.
  const child = fork(new URL('./scan-visits.ts', import.meta.url), { execArgv: process.execArgv })
  for (const { name } of sites) {
    child.send({ url: served.urlOf(name, '/'), depth } satisfies VisitOrder)
    const [measures] = (await once(child, 'message')) as [VisitMeasures]
    rows[depth].push({ name, ...measures })
  }
  child.kill()
}
await served.close()

for (const [depth, measured] of Object.entries(rows)) {
  const done = measured.filter(({ outcome }) => outcome !== 'failed')
  const plain = done.filter(({ outcome }) => outcome !== 'used').map(({ ms }) => ms)
  const rendered = done.filter(({ outcome }) => outcome === 'used').map(({ ms }) => ms)
  console.log(
    [
      `${depth}: ${done.length} of ${measured.length} sites, ${sumOf(done, ({ pages }) => pages)} pages`,
      `  seconds: half of them up to ${seconds(at(plain, 0.5))}, 95 of 100 up to ${seconds(at(plain, 0.95))}, all up to ${seconds(at(plain, 1))}`,
      `  seconds with a browser (${rendered.length} sites): up to ${seconds(at(rendered, 1))}`,
      `  processor time of all: ${seconds(sumOf(measured, ({ cpuMs }) => cpuMs))} s`,
      `  largest memory of the process: ${megabytes(
        at(
          measured.map(({ rss }) => rss),
          1,
        ),
      )} MB; of the browser: ${megabytes(
        at(
          measured.map(({ browser }) => browser),
          1,
        ),
      )} MB`,
      ...done
        .toSorted((a, b) => b.ms - a.ms)
        .slice(0, 4)
        .map(({ name, ms, pages, outcome }) => `    ${name}: ${seconds(ms)} s, ${pages} pages, ${outcome}`),
    ].join('\n'),
  )
}

/** The value below which this part of the values lies. */
function at(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2)
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0)
}
