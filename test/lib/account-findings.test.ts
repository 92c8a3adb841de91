import { expect, test } from 'vitest'
import { findAccountProblems, findMismatches } from '#lib/account-findings'
import { ConfigError, readConfig } from '#lib/config'

const account = '123456789012'
const region = 'eu-west-1'

test('credentials of another account or region than those of the options are refused', () => {
  const config = readConfig({ account, region })
  expect(findMismatches(config, { account, region })).toEqual([])
  expect(findMismatches(config, { account: '210987654321', region: 'us-east-1' })).toEqual([
    'The credentials are of account 210987654321, but the option account is 123456789012. Use other credentials, or change the option.',
    'The credentials are of region us-east-1, but the option region is eu-west-1. Use other credentials, or change the option.',
  ])
})

test('without the options, or without credentials, nothing is compared', () => {
  expect(findMismatches(readConfig({}), { account, region })).toEqual([])
  expect(findMismatches(readConfig({ account, region }), { account: undefined, region: undefined })).toEqual(
    [],
  )
})

test('the number of an account may have lost its leading zeros in cdk.json, but not on the command line', () => {
  expect(readConfig({ account: 12_345 }).account).toBe('000000012345')
  expect(() => readConfig({ account: '12345' })).toThrow(ConfigError)
})

test.each([
  ['more executions than the account has', { concurrency: 1000 }, { concurrency: 10 }, /Set it to 10\b/],
  ['more than twice the shards', { shards: 8 }, { shards: 2 }, /Deploy with shards=4 first/],
  ['fewer than half of the shards', { shards: 1 }, { shards: 5 }, /Deploy with shards=3 first/],
  ['one shard by default, of five', {}, { shards: 5 }, /Deploy with shards=3 first/],
])('options with %s are refused', (_, context, facts, message) => {
  const { refusals, warnings } = findAccountProblems(readConfig(context), {
    concurrency: null,
    shards: null,
    ...facts,
  })
  expect(refusals).toEqual([expect.stringMatching(message)])
  expect(warnings).toEqual([])
})

test.each([
  ['the executions of the account', { concurrency: 10 }, { concurrency: 10 }],
  ['twice the shards', { shards: 4 }, { shards: 2 }],
  ['half of the shards', { shards: 2 }, { shards: 4 }],
  ['a first deployment with many shards', { shards: 100 }, { shards: null }],
  ['an on-demand stream', { streamMode: 'on-demand' }, { shards: 8 }],
])('options with %s are fine', (_, context, facts) => {
  const all = { concurrency: null, shards: null, ...facts }
  expect(findAccountProblems(readConfig(context), all)).toEqual({ refusals: [], warnings: [] })
})

test('an account with few executions is a warning, because none can be reserved', () => {
  const facts = { concurrency: 10, shards: null }
  expect(findAccountProblems(readConfig({}), facts)).toEqual({
    refusals: [],
    warnings: [expect.stringContaining('none can be reserved for ingestion')],
  })
  expect(findAccountProblems(readConfig({}), { ...facts, concurrency: 1000 }).warnings).toEqual([])
})
