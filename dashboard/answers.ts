import { useEffect, useReducer } from 'preact/hooks'
import type { Receipt } from '#schemas/read-options'
import {
  type Call,
  Problem,
  type ProblemKind,
  type Reply,
  readsOfOneCall,
  send,
  sendTogether,
} from './api.ts'
import { forgetDemo } from './credential.ts'

/**
 * What the service has answered, by question. A known answer is shown at once and asked again when it is
 * older than FRESH_MS; views that ask the same question share it.
 */

export type Known<Data = unknown> = {
  call: Call<Data>
  /** The last answer; undefined before the first one. */
  data?: Data
  receipt: Partial<Receipt> | null
  /** Why the last try failed; null after an answer. */
  problem: Problem | null
  /** When `data` came, Unix ms; 0 without one. */
  at: number
  isAsking: boolean
}

/** Questions that a view asks in one round, by a name of its own. */
export type Requests = Readonly<Record<string, Call | undefined>>
/** Their answers. A question that is not asked has none. */
export type AnswersOf<A extends Requests> = {
  [Name in keyof A]: A[Name] extends Call<infer Data> | undefined ? Known<Data> : never
}

/** A younger answer is not asked again, ms. Reports are two seconds behind anyway. */
const FRESH_MS = 5_000
/** How often an open view asks again where the page does not say it, s. */
const REFRESH_SECONDS = 60
/** Waits before the next try while the service restarts, ms. The last one repeats. */
const RETRY_MS = [500, 1_000, 2_000, 4_000, 8_000]
/** What ends without anybody doing something. */
const PASSES_BY: ReadonlySet<ProblemKind> = new Set(['restarting', 'offline', 'limit'])
/** Answers that are kept: some tens of views. The one that was used longest ago goes first. */
export const MAX_KNOWN = 300

/** Questions that are due so soon after one that is asked again go with it, ms. */
const TOGETHER_MS = 250

type Entry = Known & {
  tries: number
  timer: ReturnType<typeof setTimeout> | undefined
  /** When `timer` asks again, Unix ms; infinite without one. */
  retryAt: number
}

const entries = new Map<string, Entry>()
const listeners = new Set<() => void>()
let signedOut: () => void = () => {}

/** What happens when the session of the browser is over. */
export function onSignedOut(listener: () => void): void {
  signedOut = listener
}

/** The question as text, the same for the same question. */
export function keyOf({ method, path, values }: Call): string {
  return `${method} ${path} ${JSON.stringify(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)))}`
}

/** The entry of a question, which is now the one that was used last. */
function entryOf(each: Call): Entry {
  const key = keyOf(each)
  const known = entries.get(key)
  if (known !== undefined) {
    entries.delete(key)
    entries.set(key, known)
    return known
  }
  const entry: Entry = {
    call: each,
    receipt: null,
    problem: null,
    at: 0,
    isAsking: false,
    tries: 0,
    timer: undefined,
    retryAt: Number.POSITIVE_INFINITY,
  }
  entries.set(key, entry)
  for (const [oldKey, old] of entries) {
    if (entries.size <= MAX_KNOWN) break
    if (old.isAsking) continue
    clearTimeout(old.timer)
    entries.delete(oldKey)
  }
  return entry
}

/** Whether the question must be sent: its answer is missing or too old, and no request for it is running. */
function isDue(entry: Entry, maxAgeMs: number): boolean {
  return !entry.isAsking && Date.now() - entry.at >= maxAgeMs
}

/**
 * Sends all questions that are due, at the same time, and resolves when each is answered or has failed. If
 * the page says so, their reads are sent as one call: each statement of a read costs money on AWS, and the
 * reads of one call share statements. `maxAgeMs`: as of `ask`.
 */
export async function askAll(
  calls: readonly Call[],
  maxAgeMs: (entry: Known) => number = () => FRESH_MS,
): Promise<void> {
  const due = calls.filter(each => isDue(entryOf(each), maxAgeMs(entryOf(each))))
  const reads = document.getElementById('app')?.dataset.readsTogether === 'true' ? readsOfOneCall(due) : []
  const replies = reads.length > 1 ? sendTogether(reads) : []
  await Promise.all(due.map(each => ask(each, 0, replies[reads.indexOf(each)])))
}

/**
 * Requests unless a young answer is known or the same question is on its way. Resolves when this one is
 * answered, or has failed. `reply`: of a call that was sent already.
 */
export async function ask(each: Call, maxAgeMs = FRESH_MS, reply?: Promise<Reply<unknown>>): Promise<void> {
  const entry = entryOf(each)
  if (!isDue(entry, maxAgeMs)) return
  stopRetry(entry)
  entry.isAsking = true
  tell()
  await (reply ?? send(each))
    .then(({ data, receipt }) => {
      Object.assign(entry, { data, receipt, problem: null, at: Date.now(), tries: 0 })
    })
    .catch((error: unknown) => {
      entry.problem = error instanceof Problem ? error : new Problem('failed', 'UNKNOWN', String(error))
      if (entry.problem.kind === 'signed_out') {
        forgetDemo()
        signedOut()
      }
      if (PASSES_BY.has(entry.problem.kind)) retryLater(entry, entry.problem.waitMs)
    })
    .finally(() => {
      entry.isAsking = false
      tell()
    })
}

function retryLater(entry: Entry, leastMs: number): void {
  const wait = Math.max(leastMs, RETRY_MS[Math.min(entry.tries, RETRY_MS.length - 1)] as number)
  const { problem } = entry
  entry.tries += 1
  entry.retryAt = Date.now() + wait
  entry.timer = setTimeout(() => {
    // Reads of one failed call have one problem, however long a busy page took to note it for each.
    const due = [...entries.values()].filter(
      each =>
        each.retryAt <= entry.retryAt + TOGETHER_MS ||
        (each.problem === problem && each.retryAt !== Number.POSITIVE_INFINITY),
    )
    for (const each of due) stopRetry(each)
    // Nobody looks at a question whose view is gone. A hidden page asks when it is shown again.
    const calls = due.map(({ call }) => call).filter(each => watched.has(keyOf(each)))
    if (isShown()) askAll(calls, () => 0)
  }, wait)
}

function stopRetry(entry: Entry): void {
  clearTimeout(entry.timer)
  entry.retryAt = Number.POSITIVE_INFINITY
}

/** Whether somebody may see this page. A hidden tab asks nothing. */
function isShown(): boolean {
  return document.visibilityState === 'visible'
}

/** How often an open view asks again, ms. The service says it, because a question may cost money there. */
function refreshMs(): number {
  return Number(document.getElementById('app')?.dataset.refreshSeconds ?? REFRESH_SECONDS) * 1_000
}

/** Requests the answers that have failed again, because a reader wants them now. */
export function tryAgain(answers: readonly Known[]): void {
  askAll(
    answers.filter(({ problem }) => problem !== null).map(({ call }) => call),
    () => 0,
  )
}

/** Requests everything that is on the screen again. */
export function refresh(): void {
  askAll(watchedCalls(), () => 0)
}

/** The same for what has failed, or is as old as an open view lets it become. */
export function refreshOld(): void {
  askAll(watchedCalls(), ({ problem }) => (problem === null ? refreshMs() : 0))
}

function watchedCalls(): Call[] {
  return [...watched.keys()].flatMap(key => entries.get(key)?.call ?? [])
}

/** Forgets the answers of paths that begin so, after a change of what they tell. */
export function forget(path: string): void {
  for (const entry of entries.values()) if (entry.call.path.startsWith(path)) entry.at = 0
  for (const key of watched.keys()) {
    const entry = entries.get(key)
    if (entry?.at === 0) ask(entry.call, 0)
  }
}

/** Forgets every answer, because nobody is signed in any more. */
export function forgetAll(): void {
  for (const { timer } of entries.values()) clearTimeout(timer)
  entries.clear()
  tell()
}

function tell(): void {
  for (const listener of listeners) listener()
}

/** How many mounted components look at a question. */
const watched = new Map<string, number>()

/** Requests all questions at once, and draws again with each answer. */
export function useAnswers<A extends Requests>(requests: A): AnswersOf<A> {
  const [, draw] = useReducer((n: number) => n + 1, 0)
  const calls = Object.values(requests).filter(each => each !== undefined)
  const keys = calls.map(keyOf).join('\n')
  useEffect(() => {
    listeners.add(draw as () => void)
    const own = calls.map(keyOf)
    for (const key of own) watched.set(key, (watched.get(key) ?? 0) + 1)
    askAll(calls)
    const timer = setInterval(() => {
      if (isShown()) askAll(calls)
    }, refreshMs())
    return () => {
      listeners.delete(draw as () => void)
      clearInterval(timer)
      for (const key of own) {
        const others = (watched.get(key) ?? 1) - 1
        if (others > 0) watched.set(key, others)
        else watched.delete(key)
      }
    }
  }, [keys])
  const named = Object.entries(requests).flatMap(([name, each]) => (each ? [[name, entryOf(each)]] : []))
  return Object.fromEntries(named) as AnswersOf<A>
}

/** The date of the first event of a project, as the last answer about it has said; undefined: nobody has. */
export function firstDateOf(project: string): string | undefined {
  const dates = [...entries.values()].map(({ call, receipt }) =>
    call.values.project === project ? receipt?.data_from : undefined,
  )
  return dates.findLast(date => typeof date === 'string') ?? undefined
}

/** Every question of this page and what is known of it. For tests. */
export function knownAnswers(): readonly Known[] {
  return [...entries.values()]
}
