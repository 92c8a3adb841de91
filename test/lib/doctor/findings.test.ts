import { expect, test } from 'vitest'
import type { Answer } from '#lib/doctor/caller'
import type { StackFacts } from '#lib/doctor/facts'
import { stackFindings } from '#lib/doctor/findings'
import type { Trial } from '#lib/doctor/trial'
import { countProblems, findingsText } from '#schemas/findings'

/** What the doctor of a stack says of what it found. */

const answer = (status: number, body: object = {}, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: new Headers(headers),
  text: JSON.stringify(body),
})
const asked = { count: 36, failures: [] }
const trial: Trial = {
  project: 'proj_1',
  failure: null,
  liveMs: 800,
  readMs: 70_000,
  country: 'DE',
  missingHeaders: [],
  streamProblem: null,
  questions: asked,
  secondStatsMs: 2_500,
  compaction: { afterMs: 1_200_000, events: 4, questions: asked },
  erasure: { id: 'er_1', problem: null },
  isDeleted: true,
}
const healthy: StackFacts = {
  name: 'Footfall',
  stack: {
    region: 'eu-west-1',
    baseUrl: 'https://stats.example.com',
    apiUrl: 'https://a1.execute-api.eu-west-1.amazonaws.com',
    streamUrl: 'https://stats.example.com/stream',
    workGroup: 'footfall',
    database: 'footfall',
    bucket: 'bucket',
    logGroups: ['track'],
    alarmTopics: ['arn:aws:sns:eu-west-1:123456789012:alarms'],
  },
  executions: 1_000,
  subscriptions: [{ isConfirmed: true }],
  logs: { denied: [], merges: 1 },
  answers: {
    health: answer(200),
    pastEdge: answer(403, { error: 'FORBIDDEN' }),
    nothing: answer(404, { error: 'NOT_FOUND' }),
    stranger: answer(401, { resource_metadata: 'https://…' }, { 'www-authenticate': 'Bearer' }),
    notUtf8: answer(400, { error: 'INVALID_BODY' }),
  },
  trial,
  explained: { count: 300, failures: [] },
}

/** The findings that are not good, by their check. */
function told(facts: Partial<StackFacts>) {
  const found = stackFindings({ ...healthy, ...facts }).filter(({ level }) => level !== 'good')
  return Object.fromEntries(found.map(({ check, level, text }) => [check, `${level}: ${text}`]))
}
const toldOfTrial = (more: Partial<Trial>) => told({ trial: { ...trial, ...more } })
const toldOfAnswers = (more: Partial<StackFacts['answers']>) =>
  told({ answers: { ...healthy.answers, ...more } })

test('a healthy stack has no problem, and every check says what is good', () => {
  expect(told({})).toEqual({})
  const findings = stackFindings(healthy)
  expect(countProblems(findings)).toBe(0)
  expect(findingsText(findings).split('\n')).toHaveLength(findings.length)
})

test('alarms that nobody gets are a problem: no topic, no address, or none that is confirmed', () => {
  expect(told({ stack: { ...healthy.stack, alarmTopics: [] } }).alarms).toMatch(/^problem: .*no topic/)
  expect(told({ subscriptions: [] }).alarms).toMatch(/^problem: .*of 0 addresses/)
  expect(told({ subscriptions: [{ isConfirmed: false }] }).alarms).toMatch(/^problem: .*of 1 addresses/)
  expect(told({ subscriptions: [{ isConfirmed: false }, { isConfirmed: true }] })).toEqual({})
})

test('what these credentials may not look at is a note with the right, and no problem', () => {
  const found = told({ executions: null, subscriptions: null, logs: null })
  expect(found.quotas).toMatch(/^note: .*lambda:GetAccountSettings/)
  expect(found.alarms).toMatch(/^note: .*sns:ListSubscriptionsByTopic/)
  expect(found.rights).toMatch(/^note: .*logs:FilterLogEvents/)
  expect(Object.keys(found)).toHaveLength(3)
})

test('answers to a stranger that differ from the contract are problems', () => {
  expect(toldOfAnswers({ health: answer(503) }).health).toMatch(/^problem: .*503/)
  expect(toldOfAnswers({ pastEdge: answer(200) }).edge).toMatch(/^problem: .*200/)
  expect(toldOfAnswers({ nothing: answer(500) }).unknown_paths).toMatch(/^problem: .*500/)
  expect(toldOfAnswers({ notUtf8: answer(202) }).not_utf8).toMatch(/^problem: .*202/)
  expect(toldOfAnswers({ stranger: answer(401, { resource_metadata: 'x' }) }).sign_in).toMatch(
    /^problem: .*without a header/,
  )
  const renamed = answer(401, { resource_metadata: 'x' }, { 'x-amzn-remapped-www-authenticate': 'Bearer' })
  expect(toldOfAnswers({ stranger: renamed })).toEqual({})
})

test('a service that this machine does not reach is one problem, and the API past it another', () => {
  const none: Answer = { status: 0, headers: new Headers(), text: 'getaddrinfo ENOTFOUND' }
  const answers = { health: none, pastEdge: none, nothing: none, stranger: none, notUtf8: none }
  const found = told({ answers })
  expect(Object.keys(found)).toEqual(['health', 'edge'])
  expect(found.health).toMatch(/^problem: The service cannot be reached .*ENOTFOUND/)
})

test('a stack without CloudFront has no edge to walk around, and its events no country', () => {
  const stack = { ...healthy.stack, apiUrl: null }
  const answers = { ...healthy.answers, pastEdge: null }
  expect(told({ stack, answers, trial: { ...trial, country: null } })).toEqual({})
  expect(toldOfTrial({ country: null }).country).toMatch(/^problem: /)
})

test('few executions, and a service that has merged nothing yet, are notes', () => {
  expect(told({ executions: 10 }).quotas).toMatch(/^note: .* 10 /)
  expect(told({ logs: { denied: [], merges: 0 } }).merges).toMatch(/^note: /)
})

test('a right that a function lacks and a statement that Athena cannot plan are problems, with the first of them', () => {
  const denied = Array.from({ length: 7 }, (_, i) => `line ${i}`)
  expect(told({ logs: { denied, merges: 1 } }).rights).toMatch(/^problem: line 0 .* line 4 \| and 2 more$/)
  const explained = { count: 300, failures: ['Insufficient permissions: SELECT 1'] }
  expect(told({ explained }).statements).toMatch(/^problem: .* 1 of 300 .*Insufficient permissions/)
})

test('without a key, or after a trial that ended early, nothing is said of its later steps', () => {
  const withoutKey = told({ trial: null })
  expect(Object.keys(withoutKey)).toEqual(['trial'])
  expect(withoutKey.trial).toMatch(/^note: /)
  const ended = toldOfTrial({ failure: 'No report had the events within 600 s.', liveMs: null })
  expect(ended).toEqual({ trial: 'problem: No report had the events within 600 s.' })
})

test('each step of the trial has its own finding', () => {
  expect(toldOfTrial({ isDeleted: false }).trial).toMatch(/^note: .*proj_1/)
  expect(toldOfTrial({ liveMs: null }).live).toMatch(/^problem: /)
  expect(toldOfTrial({ liveMs: 9_000 }).live).toMatch(/^problem: .*9\.0 s/)
  expect(toldOfTrial({ streamProblem: '403 FORBIDDEN' }).stream).toMatch(/^problem: .*403/)
  expect(toldOfTrial({ missingHeaders: ['second: referrer-policy'] }).headers).toMatch(/^problem: .*second/)
  expect(toldOfTrial({ secondStatsMs: 6_000 }).speed).toMatch(/^note: .*6\.0 s/)
  const failed = { count: 36, failures: ['GET /pages: 503'] }
  expect(toldOfTrial({ questions: failed }).reports).toMatch(/^problem: 1 of 36 .*before/)
  const later = { afterMs: 1, events: 4, questions: failed }
  expect(toldOfTrial({ compaction: later }).reports_later).toMatch(/^problem: 1 of 36 .*after/)
  expect(toldOfTrial({ compaction: null }).compaction).toMatch(/^note: /)
  const late = { afterMs: null, events: 4, questions: null }
  expect(toldOfTrial({ compaction: late }).compaction).toMatch(/^problem: /)
  const erasure = { id: 'er_1', problem: '2 events of the erased person are still read.' }
  expect(toldOfTrial({ erasure }).erasure).toMatch(/^problem: 2 events/)
})
