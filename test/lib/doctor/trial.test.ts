import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { reports } from '#lambdas/reports/reports'
import { type Caller, createCaller } from '#lib/doctor/caller'
import { askedReads, questionsOf } from '#lib/doctor/questions'
import { runTrial, type TrialOptions } from '#lib/doctor/trial'
import { watchStream } from '#lib/doctor/watch-stream'
import { sharedDeployment } from '#test/support/deployment'

/**
 * What the doctor of a stack does as an owner: against a service of one machine, and against invented
 * answers.
 */

test('the trial asks every report of the service', () => {
  expect(Object.keys(askedReads).toSorted()).toEqual(Object.keys(reports).toSorted())
})

test('on a service that works, all steps of the trial pass and the project is deleted', async () => {
  const { baseUrl, apiKey } = await sharedDeployment()
  const call = createCaller(baseUrl, apiKey)
  const trial = await runTrial(call, {
    ...options(),
    now: Date.now,
    sleep,
    visibleMs: 120_000,
    hasStream: true,
    watchStream: (project, event, send) =>
      watchStream({ url: `${baseUrl}/stream`, apiKey }, { project, event }, send),
  })
  const asked = { count: questionsOf('x').length, failures: [] }
  expect(trial).toMatchObject({
    failure: null,
    streamProblem: null,
    questions: asked,
    compaction: null,
    erasure: { problem: null },
    isDeleted: true,
  })
  expect(trial.liveMs).not.toBeNull()
  const receipt = await call(`/projects/${trial.project}`)
  expect(receipt.status).toBe(404)
})

test('a stream that is refused or ends says so', async () => {
  const { baseUrl, apiKey } = await sharedDeployment()
  const watch = (path: string) =>
    watchStream({ url: baseUrl + path, apiKey }, { project: 'x', event: 'e' }, async () => {})
  expect(await watch('/nothing')).toMatch(/^404 /)
  expect(await watch('/health')).toBe('the stream ended before the event')
})

/** Invented answers: the events are there at once, and in a segment from the fourth look on. */
function invented(more: Record<string, (path: string) => object> = {}) {
  let looks = 0
  const calls: string[] = []
  const rows = ['doctor-ada', 'doctor-ada', 'doctor-bob'].map(user_id => ({ user_id, country: 'DE' }))
  let erased = false
  const call: Caller = async (path, { method = 'GET', query } = {}) => {
    calls.push(`${method} ${path}`)
    const answer = (status: number, body: object) => ({
      status,
      headers: new Headers(),
      text: JSON.stringify(body),
    })
    if (more[path]) return answer(500, more[path](path))
    if (path === '/projects') return answer(201, { id: 'p1', project_token: 't' })
    if (path === '/live') return answer(200, { active_visitors: 1 })
    if (path.startsWith('/users/')) {
      erased = true
      return answer(202, { erasure_id: 'er_1' })
    }
    if (path === '/events') {
      // The waits alone ask for the statements. The first look sees the events, the second their epoch.
      if (query?.sql === 'true') looks++
      const tables =
        looks < 4
          ? {
              events_hot: ['hot/epoch=7/a-1-2.parquet'],
              segment_events: ['segments/events/bucket=1/1-6-1-0.parquet'],
            }
          : {
              events_hot: ['hot/epoch=8/a-1-2.parquet'],
              segment_events: ['segments/events/bucket=1/1-7-1-0.parquet'],
            }
      return answer(200, {
        events: rows.filter(row => !erased || row.user_id !== 'doctor-ada'),
        sql: [{ tables }],
      })
    }
    return answer(200, {})
  }
  return { call, calls }
}

function options(): TrialOptions {
  let clock = 1_796_000_000_000
  return {
    visibleMs: 60_000,
    compactionMs: 0,
    hasStream: false,
    now: () => clock++,
    async sleep(ms) {
      clock += ms
    },
    print() {},
    watchStream: async () => null,
  }
}

test('the events are compacted when no hot file of their epoch is read any more, whatever came after it', async () => {
  const { call, calls } = invented()
  const trial = await runTrial(call, { ...options(), compactionMs: 600_000 })
  expect(trial.compaction).toMatchObject({ events: 3, questions: { failures: [] } })
  expect(trial.compaction?.afterMs).toBeGreaterThan(30_000)
  expect(calls.at(-1)).toBe('DELETE /projects/p1')
})

test('a stream that is refused is told, and the trial waits for no event that it has not sent', async () => {
  const { call } = invented()
  const watchStream = async () => '403 FORBIDDEN'
  const trial = await runTrial(call, { ...options(), hasStream: true, watchStream, compactionMs: 600_000 })
  expect(trial.streamProblem).toBe('403 FORBIDDEN')
  expect(trial.compaction).toMatchObject({ events: 3, questions: { failures: [] } })
})

test('a compaction that does not come in time is told, and no report is asked again', async () => {
  const { call } = invented()
  const trial = await runTrial(call, { ...options(), compactionMs: 1 })
  expect(trial.compaction).toEqual({ afterMs: null, events: 3, questions: null })
  expect(trial.erasure).toEqual({ id: 'er_1', problem: null })
})

test('a report that fails is named with its answer, and the trial goes on', async () => {
  const { call } = invented({ '/pages': () => ({ error: 'INTERNAL' }) })
  const trial = await runTrial(call, options())
  expect(trial.questions?.failures).toHaveLength(askedReads.pages.length)
  expect(trial.questions?.failures[0]).toMatch(/^GET \/pages .*: 500 .*INTERNAL/)
  expect(trial.isDeleted).toBe(true)
})

test('events that are refused end the trial with the answer, and the project is deleted all the same', async () => {
  const { call, calls } = invented({ '/track/batch': () => ({ error: 'UNAVAILABLE' }) })
  const trial = await runTrial(call, options())
  expect(trial.failure).toMatch(/^POST \/track\/batch got 500 .*UNAVAILABLE/)
  expect(calls.at(-1)).toBe('DELETE /projects/p1')
})

test('without any answer the trial ends with the reason', async () => {
  const trial = await runTrial(createCaller('http://127.0.0.1:1', 'key'), options())
  expect(trial.failure).toMatch(/^POST \/projects got no answer \(.*\)\.$/)
  expect(trial.isDeleted).toBe(false)
})
