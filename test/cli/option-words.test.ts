import { expect, test } from 'vitest'
import { commands } from '#cli/commands/all'
import { countedWords, optionWords, problemInOptions } from '#cli/option-words'

/** Messages of the service in the words of the command line. */

const command = (name: string) => {
  const found = commands.find(each => each.name === name)
  if (found === undefined) throw new Error(`There is no command ${name}`)
  return found
}

test.each([
  ['create', 'Field `allowed_origins` has a part that is not an origin.', 'Option `--domain` has a part'],
  ['create', 'Field `name` must have 1 to 64 characters.', 'Argument `NAME` must have'],
  ['update', 'Field `name` must have 1 to 64 characters.', 'Option `--name` must have'],
  ['portfolios create', 'Field `slug` must have 1 to 64 characters.', 'Argument `SLUG` must have'],
  ['portfolios create', 'Send `allow_move: true` to move it here.', 'Use `--move` to move it here.'],
  ['query', 'Field `date_from` must be a number of days.', 'Option `--from` must be'],
  ['query', '1: send `count_mode` `raw` to count them.', 'use `--count-mode` `raw` to count them.'],
  ['stats', 'A parameter `project` is missing.', 'argument `NAME` is missing'],
  ['stats', 'Send `since=6d` for whole weeks.', 'Use `--since 6d` for whole weeks.'],
  ['funnel', 'A funnel has 2 to 8 steps. Change `steps`.', 'Change `--steps`.'],
  ['replays list', 'No project "x". GET /projects lists its projects.', 'No project "x".'],
  // Names of values, and fields that the command does not have, stay.
  ['query', 'It must be one of `event`, `date`.', 'one of `event`, `date`.'],
  ['list', 'Field `allowed_origins` is wrong.', 'Field `allowed_origins` is wrong.'],
])('%s: %s', (name, text, expected) => {
  expect(optionWords(text, command(name))).toContain(expected)
})

test('no field that a command sends by an option keeps the name of the service, whatever it is', () => {
  const left = commands.flatMap(each =>
    each.flags
      .filter(({ parameter }) => parameter !== undefined)
      .map(({ parameter }) => optionWords(`Field \`${parameter}\` is wrong.`, each))
      .filter(text => !text.startsWith('Option `--'))
      .map(text => `${each.name}: ${text}`),
  )
  expect(left).toEqual([])
})

test('the advice names the option of the command, and is not the message again', () => {
  const problem = { error: 'INVALID_SINCE', retryable: false }
  const date = { message: 'Field `date_from` is no date.', suggested_action: 'Use --since 7d' }
  expect(problemInOptions({ ...problem, ...date }, command('query')).suggested_action).toBe('Use --since 7d')
  expect(problemInOptions({ ...problem, ...date }, command('events')).suggested_action).toBe('Use --since 7d')
  const twice = { message: 'Choose another.', suggested_action: 'Choose another.' }
  expect(problemInOptions({ ...problem, ...twice }, command('create')).suggested_action).toContain(
    'footfall create --help',
  )
})

test('who is counted has one word: visitors, or sessions where those are counted', () => {
  const input = (options: object) => ({ args: {}, options: { ...options } })
  expect(countedWords('Each entity; 2 entities.', input({}))).toBe('Each visitor; 2 visitors.')
  expect(countedWords('Each entity.', input({ countBy: 'session_id' }))).toBe('Each session.')
})
