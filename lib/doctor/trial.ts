import { SECOND_MS } from '#lib/restore/wait'
import { type Answer, type Caller, jsonOf, shown } from './caller.ts'
import { type Question, questionsOf } from './questions.ts'

/** What the doctor has done as an owner, in a project of its own. Times in ms; null: not seen in time. */
export type Trial = {
  project: string
  /** What ended the trial early; null when all of it ran. */
  failure: string | null
  /** From the request with the events to the answer that shows them. */
  liveMs: number | null
  readMs: number | null
  /** The country of the events; null: they have none. */
  country: string | null
  /** Headers that browsers need and that one of two answers has not; the second one may come from a cache. */
  missingHeaders: string[]
  /** What is wrong with GET /stream; null when it showed the event, or the stack has none. */
  streamProblem: string | null
  questions: Asked | null
  /** How long the service took for a second /stats. */
  secondStatsMs: number | null
  /** The same after the compaction of the events; null: it was not waited for. */
  compaction: { afterMs: number | null; events: number | null; questions: Asked | null } | null
  erasure: { id: string | null; problem: string | null } | null
  isDeleted: boolean
}

/** How many reads were asked, and what is wrong with each that failed. */
export type Asked = { count: number; failures: string[] }

export type TrialOptions = {
  /** How long the events may need until a read has them: a minute and a half on AWS. */
  visibleMs: number
  /** How long a compaction is waited for; 0: not at all. */
  compactionMs: number
  /** Whether the stack has GET /stream. */
  hasStream: boolean
  now(): number
  sleep(ms: number): Promise<unknown>
  /** Tells a person who waits what is done. */
  print(text: string): void
  /**
   * Opens GET /stream and resolves when it has shown an event of this name, with null, or with what is wrong.
   */
  watchStream(project: string, event: string, send: () => Promise<unknown>): Promise<string | null>
}

/** Every header that browsers need from both answers. */
const NEEDED_HEADERS = [
  'access-control-allow-origin',
  'strict-transport-security',
  'x-content-type-options',
  'referrer-policy',
]
const LIVE_MS = 60 * SECOND_MS
const POLL_MS = SECOND_MS
const COMPACTION_POLL_MS = 30 * SECOND_MS
/** The events of the trial; ada is erased at its end. */
const EVENTS = [
  {
    event: 'page_view',
    user_id: 'doctor-ada',
    session_id: 'd1',
    properties: { path: '/', utm_source: 'mail' },
  },
  {
    event: 'signup',
    user_id: 'doctor-ada',
    session_id: 'd1',
    properties: { plan: 'pro', value: 9, currency: 'EUR' },
  },
  { event: 'page_view', user_id: 'doctor-bob', session_id: 'd2', properties: { path: '/ü' } },
]
const ERASED = 'doctor-ada'

/**
 * Makes a project, sends events, reads them in every report before and after their compaction, erases a
 * person, and deletes the project. Never rejects: `failure` says what ended it.
 */
export async function runTrial(call: Caller, options: TrialOptions): Promise<Trial> {
  const trial: Trial = {
    project: '',
    failure: null,
    liveMs: null,
    readMs: null,
    country: null,
    missingHeaders: [],
    streamProblem: null,
    questions: null,
    secondStatsMs: null,
    compaction: null,
    erasure: null,
    isDeleted: false,
  }
  try {
    await runSteps(call, options, trial)
  } catch (error) {
    trial.failure = (error as Error).message
  }
  if (trial.project !== '')
    trial.isDeleted = (await call(`/projects/${trial.project}`, { method: 'DELETE' })).status === 200
  return trial
}

async function runSteps(call: Caller, options: TrialOptions, trial: Trial): Promise<void> {
  const { now, sleep, print } = options
  const name = `doctor-${now().toString(36)}`
  const made = await must(call('/projects', { body: { name } }), 'POST /projects')
  const { id: project, project_token: token } = made as { id: string; project_token: string }
  trial.project = project
  print(`Sends ${EVENTS.length} events to the project ${name}.`)
  const start = now()
  await must(
    call('/track/batch', { body: { events: EVENTS.map(event => ({ token, ...event })) } }),
    'POST /track/batch',
  )
  const traits = { token, previous_id: 'anon_doctor01', user_id: ERASED, traits: { plan: 'pro' } }
  await must(call('/identify', { body: traits }), 'POST /identify')
  const passed = () => now() - start

  trial.liveMs = await waitFor(LIVE_MS, POLL_MS, async () => {
    const live = jsonOf(await call('/live', { query: { project, window: '300' } }))
    return Number(live.active_visitors) > 0 ? passed() : null
  })
  print('Waits until reports have them, a minute or two.')
  trial.readMs = await waitFor(options.visibleMs, POLL_MS * 3, async () => {
    const { events } = await readEvents(project)
    if (events?.length !== EVENTS.length) return null
    trial.country = (events[0]?.country as string | null) ?? null
    return passed()
  })
  if (trial.readMs === null)
    throw new Error(`No report had the events within ${options.visibleMs / SECOND_MS} s.`)

  trial.missingHeaders = await findMissingHeaders(token)
  let sent = EVENTS.length
  if (options.hasStream) {
    trial.streamProblem = await options.watchStream(project, 'streamed', async () => {
      const { status } = await call('/track', {
        body: { token, event: 'streamed', user_id: 'doctor-bob' },
      })
      if (status === 202) sent++
    })
  }
  print('Asks every report.')
  trial.questions = await ask(questionsOf(project))
  const again = now()
  await call('/stats', { query: { project } })
  trial.secondStatsMs = now() - again

  if (options.compactionMs > 0) {
    const epoch = await waitFor(options.visibleMs, POLL_MS * 3, async () => {
      const { events, hotEpochs } = await readEvents(project)
      return events?.length === sent ? Math.max(0, ...hotEpochs) : null
    })
    print(`Waits for the compaction, at most ${Math.round(options.compactionMs / (60 * SECOND_MS))} minutes.`)
    const afterMs =
      epoch === null
        ? null
        : await waitFor(options.compactionMs, COMPACTION_POLL_MS, async () => {
            const { hotEpochs, segments } = await readEvents(project)
            return segments > 0 && hotEpochs.every(each => each > epoch) ? passed() : null
          })
    const { events } = await readEvents(project)
    const questions = afterMs === null ? null : await ask(questionsOf(project))
    trial.compaction = { afterMs, events: events?.length ?? null, questions }
  }
  trial.erasure = await erase(project)

  /** Asks until there is a value; null after `withinMs`. */
  async function waitFor<T>(
    withinMs: number,
    everyMs: number,
    look: () => Promise<T | null>,
  ): Promise<T | null> {
    for (const end = now() + withinMs; ; await sleep(everyMs)) {
      const found = await look()
      if (found !== null || now() >= end) return found
    }
  }

  /**
   * The events of the project, and the epochs of the hot files and the number of files of segments in its
   * read.
   */
  async function readEvents(id: string) {
    const answer = await call('/events', { query: { project: id, since: '1d', sql: 'true' } })
    const { events, sql = [] } = jsonOf(answer) as {
      events?: { user_id: string | null; country: string | null }[]
      sql?: { tables: Record<string, string[]> }[]
    }
    const files = (table: string) => sql.flatMap(({ tables }) => tables[table] ?? [])
    const hotEpochs = files('events_hot').map(key => Number(/epoch=(\d+)/.exec(key)?.[1]))
    return { events, hotEpochs, segments: files('segment_events').length }
  }

  async function findMissingHeaders(ofToken: string): Promise<string[]> {
    const missing: string[] = []
    for (const time of ['first', 'second']) {
      const answer = await call('/experiments/config', {
        query: { token: ofToken },
        headers: { Origin: 'https://example.com' },
      })
      for (const header of NEEDED_HEADERS) if (!answer.headers.has(header)) missing.push(`${time}: ${header}`)
    }
    return missing
  }

  async function ask(questions: readonly Question[]): Promise<Asked> {
    const failures: string[] = []
    for (const { method, path, query, body } of questions) {
      const answer = await call(path, { method, query, ...(body !== null && { body }) })
      if (answer.status !== 200)
        failures.push(`${method} ${path} ${JSON.stringify(body ?? query)}: ${shown(answer)}`)
    }
    return { count: questions.length, failures }
  }

  async function erase(id: string): Promise<NonNullable<Trial['erasure']>> {
    const erased = await call(`/users/${ERASED}`, { method: 'DELETE', query: { project: id } })
    if (erased.status !== 202) return { id: null, problem: `DELETE /users got ${shown(erased)}.` }
    const { events } = await readEvents(id)
    const left = (events ?? []).filter(({ user_id }) => user_id === ERASED).length
    const hidden = events !== undefined && left === 0
    return {
      id: String(jsonOf(erased).erasure_id),
      problem: hidden ? null : `${left} events of the erased person are still read.`,
    }
  }
}

/** The body of a good answer. Throws with the answer otherwise. */
async function must(answering: Promise<Answer>, what: string): Promise<Record<string, unknown>> {
  const answer = await answering
  if (answer.status < 200 || answer.status > 299) throw new Error(`${what} got ${shown(answer)}.`)
  return jsonOf(answer)
}
