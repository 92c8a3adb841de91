import { setTimeout as sleep } from 'node:timers/promises'
import { median, percentile } from './percentile.ts'
import { type Question, questions } from './questions.ts'

/** A running service and how to measure one of its reads, as bench/reads.ts has them. */
export type MeasuredService = {
  baseUrl: string
  apiKey: string
  measure(question: Question): Promise<number>
}

/** Clients that erase at the same time. Each waits for its answer. */
const CLIENTS = 50
const REPEAT = 3
/** Users of one read of GET /sessions, and how long `done` is waited for, ms. */
const PAGE = 500
const DONE_WITHIN_MS = 90 * 60_000

/**
 * Erases `count` users of the large project, and prints how long the requests take, the reads before and with
 * all erasures in force, and the time until all are done.
 */
export async function measureErasures(
  service: MeasuredService,
  { count, only }: { count: number; only: string },
): Promise<void> {
  const { baseUrl, apiKey } = service
  const headers = { 'X-API-Key': apiKey }

  async function getJson(path: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${baseUrl}${path}`, { headers })
    if (!response.ok) throw new Error(`${path}: status ${response.status}, ${await response.text()}`)
    return (await response.json()) as Record<string, unknown>
  }

  async function listUsers(): Promise<string[]> {
    const users = new Set<string>()
    for (let before: unknown; users.size < count; ) {
      const cursor = before === undefined ? '' : `&before=${encodeURIComponent(String(before))}`
      const page = await getJson(`/events?project=demo&since=30d&limit=${PAGE}${cursor}`)
      for (const { user_id } of page.events as { user_id: string | null }[])
        if (user_id !== null) users.add(user_id)
      before = page.next_before
      if (before === null || before === undefined) break
    }
    return [...users].slice(0, count)
  }

  async function erase(user: string): Promise<{ id: string; ms: number }> {
    const started = performance.now()
    for (;;) {
      const path = `/users/-?project=demo&user_id=${encodeURIComponent(user)}`
      const response = await fetch(`${baseUrl}${path}`, { method: 'DELETE', headers })
      const body = (await response.json()) as { erasure_id: string }
      if (response.status === 202) return { id: body.erasure_id, ms: performance.now() - started }
      const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
      if (Number.isNaN(retryAfter)) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
      await sleep(retryAfter * 1_000)
    }
  }

  async function measureReads(user: string): Promise<Map<string, number>> {
    const medians = new Map<string, number>()
    for (const question of questions(user).filter(({ name }) => name.startsWith(only))) {
      const times: number[] = []
      for (let i = 0; i <= REPEAT; i++) times.push(await service.measure(question))
      medians.set(question.name, median(times.slice(1)))
    }
    return medians
  }

  const users = await listUsers()
  const bystander = users.pop() ?? ''
  console.log(`\n${users.length} erasures of one project, ${CLIENTS} clients`)
  const before = await measureReads(bystander)
  const remaining = users.values()
  const answers: { id: string; ms: number }[] = []
  const started = performance.now()
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      for (const user of remaining) answers.push(await erase(user))
    }),
  )
  const times = answers.map(({ ms }) => ms)
  console.log(
    `accepted in ${((performance.now() - started) / 1_000).toFixed(0)} s; a request, ms: median ${median(times).toFixed(0)}, p99 ${percentile(times, 0.99).toFixed(0)}, longest ${Math.max(...times).toFixed(0)}`,
  )
  const during = await measureReads(bystander)
  console.log('\nreads, ms: without erasures, with all in force, ratio')
  for (const [name, ms] of before) {
    const withErasures = during.get(name) ?? 0
    console.log(
      `${name.padEnd(30)} ${ms.toFixed(0).padStart(8)} ${withErasures.toFixed(0).padStart(8)} ${(withErasures / ms).toFixed(2).padStart(8)}`,
    )
  }
  const last = answers.at(-1)?.id ?? ''
  while (performance.now() - started < DONE_WITHIN_MS) {
    if ((await getJson(`/erasures/${last}`)).status === 'done') break
    await sleep(2_000)
  }
  const { status } = await getJson(`/erasures/${last}`)
  console.log(
    `the last one is ${status} after ${((performance.now() - started) / 60_000).toFixed(1)} minutes`,
  )
  const after = await measureReads(bystander)
  const ratios = [...after].map(([name, ms]) => ms / (before.get(name) ?? ms))
  console.log(`reads after that, median of the ratios: ${median(ratios).toFixed(2)}`)
}
