import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSettings as readFunctionSettings } from '#aws/settings'
import { readSettings, settingsSchema } from '#local/settings'
import { errorCodes } from '#schemas/errors'
import { type FunctionName, functions } from '#schemas/functions'
import {
  clientMessagesBelow,
  clientMessagesIn,
  isForCallers,
  problemsOf,
  saysAction,
} from './client-messages.ts'

const messages = clientMessagesBelow(resolve(import.meta.dirname, '../..'))
const unreadable = messages.filter(({ text }) => text === null)

/** Expressions whose texts come from elsewhere, with the place that has these texts. */
const PASSED_ON: Record<string, string> = {
  'core/ingest/check-events.ts: first.message': 'the message of the first bad event',
  'core/errors.ts: message': 'the argument of unavailable, at each of its calls',
  'core/state/transient.ts: message': 'the argument of toApiError, at each of its calls',
  'core/sql/query-failures.ts: message': 'the properties `message` of the table in the same file',
  'core/limits/limit-state.ts: message': 'the properties `message` of the limits that a plan sets',
  'core/reports/few-people/query.ts: error.message': 'the error of core/reports/query/query.ts',
  'core/reports/query/query.ts: error.message':
    'the argument of UnknownFieldError, in core/reports/conditions/parse-filter.ts',
  'core/reports/conditions/check-leaves.ts: error.message':
    'the errors of core/reports/conditions/parse-filter.ts',
  'core/reports/conditions/check-leaves.ts: message': 'the argument of UnknownFieldError, likewise',
  'core/reports/funnel/steps.ts: error.message': 'the argument of UnknownFieldError, likewise',
  'core/scans/scan-desk.ts: failure?.reason': 'the failures of core/scans/scan-worker.ts',
  'lambdas/auth/grants.ts: error.message':
    'the errors of core/access/auth-request-errors.ts and core/access/code-verifier.ts',
  "lambdas/mcp/run-tool.ts: problems.join(' ')": 'problemOf, in the same file',
  'lambdas/pages/browser.ts: thrown.message': 'the argument of SignInError, at each of its calls',
  'lambdas/http/validate.ts: messageOf(issue, input)': 'the messages of zod schemas',
}

test('every message for clients is a sentence with a capital letter and a full stop', () => {
  const bad = messages.flatMap(({ place, text }) =>
    text === null ? [] : problemsOf(text).map(problem => `${place} ${problem}: ${text}`),
  )
  expect(bad).toEqual([])
})

test('every message for callers says what to do', () => {
  const bad = messages.filter(
    message => isForCallers(message) && message.text !== null && !saysAction(message.text),
  )
  expect(bad.map(({ place, text }) => `${place}: ${text}`)).toEqual([])
})

test('the sources have at least 100 messages, and at least one for each kind of place', () => {
  expect(messages.length).toBeGreaterThanOrEqual(100)
  const counts = Object.groupBy(messages, ({ place }) => place.split('/')[0] ?? '')
  expect(Object.keys(counts).toSorted()).toEqual(['aws', 'core', 'lambdas', 'local', 'schemas'])
  const texts = new Set(messages.map(({ text }) => text))
  for (const { hint } of Object.values(errorCodes)) expect(texts).toContain(hint)
})

test('only known expressions pass on a text from elsewhere', () => {
  const expressions = unreadable.map(({ place, code }) => `${place.replace(/:\d+$/, '')}: ${code}`)
  expect([...new Set(expressions)].toSorted()).toEqual(Object.keys(PASSED_ON).toSorted())
})

describe('the message of a wrong setting is a sentence', () => {
  test.each(Object.keys(settingsSchema.shape))('%s on one machine', name => {
    const wrong = settingsSchema.shape[name as keyof typeof settingsSchema.shape].safeParse('\0')
    // The folder of the data may have any name.
    if (wrong.success) return expect(name).toBe('DATA_DIR')
    expect(problemsOf(messageOf(() => readSettings({ [name]: '\0' })))).toEqual([])
  })

  test.each(Object.keys(functions) as FunctionName[])('of the function %s', name => {
    expect(problemsOf(messageOf(() => readFunctionSettings(name, {})))).toEqual([])
    const empty = Object.fromEntries(Object.keys(functions[name].shape).map(variable => [variable, '']))
    expect(problemsOf(messageOf(() => readFunctionSettings(name, empty)))).toEqual([])
  })

  function messageOf(read: () => unknown): string {
    try {
      read()
    } catch (error) {
      return (error as Error).message
    }
    throw new Error('no message')
  }
})

describe('the check', () => {
  test.each([
    ['the event log has stopped.', 'does not start with a capital letter'],
    ['`since` is in the future.', 'does not start with a capital letter'],
    ['{} is missing.', 'does not start with a capital letter'],
    ['The event log has stopped', 'does not end with a full stop'],
    ['The event log has stopped…', 'does not end with a full stop'],
    ['The event log has stopped...', 'does not end with a full stop'],
    ['The event log\nhas stopped.', 'has a line break'],
    ['Stopped.', 'has fewer than two words'],
  ])('of %j says: %s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  test.each([
    ['The log has stopped.', false],
    ['The log has stopped and started.', false],
    ['The log has stopped. Start it again.', true],
    ['If the log has stopped, start it again.', true],
    ['Field `tz` must be a time zone.', true],
    ['The field must be a time zone.', false],
  ])('finds in %j an action: %s', (text, isFound) => {
    expect(saysAction(text)).toBe(isFound)
  })

  test.each(['auth request is not ready', 'auth request already exchanged', 'The log stopped. Try again.'])(
    'accepts %j',
    text => {
      expect(problemsOf(text)).toEqual([])
    },
  )
})

describe('the search finds the message in', () => {
  test.each([
    ['an ApiError', "new ApiError('NOT_FOUND', 'a')", ['a']],
    ['a helper', "unavailable('a', 1); toApiError(error, 'b', 1)", ['a', 'b']],
    ['a template', 'unavailable(`a $' + '{name} b`, 1)', ['a {} b']],
    ['a template with a constant', "const NAME = 'x'\nunavailable(`a $" + '{NAME}`, 1)', ['a x']],
    ['a sum', "unavailable('a' + x + 'b', 1)", ['a{}b']],
    ['both branches', "unavailable(x ? 'a' : 'b', 1)", ['a', 'b']],
    ['a table with a default', "const T = { x: 'a', y: 'b' }\nunavailable(T[z] ?? 'c', 1)", ['a', 'b', 'c']],
    [
      'the results of a function',
      "function f() { if (x) return 'a'\n return 'b' }\nunavailable(f(), 1)",
      ['a', 'b'],
    ],
    ['a property', "const limit = { message: 'a', hint: 'b', other: 'c' }", ['a', 'b']],
    ['a schema', "z.string('a').regex(/x/, 'b').meta({ description: 'c' })", ['a', 'b']],
    ['a schema of words', "z.enum(['x'], 'a')", ['a']],
    ['a text that is not there', 'unavailable(text, 1)', [null]],
  ])('%s', (_, code, texts) => {
    const messageTexts = clientMessagesIn('schemas/a.ts', code).map(({ text }) => text)
    expect(messageTexts.toSorted()).toEqual(texts)
  })
})
