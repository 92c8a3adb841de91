import { App, Stage } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '#lib/config'
import { findRegionProblems, REGIONS_WITHOUT } from '#lib/regions'
import { Service } from '#lib/service'

/** Regions that cannot have what the options ask for. */

const problems = (context: Record<string, unknown>, region: string) =>
  findRegionProblems(readConfig(context), region)

const BUDGET = { monthlyBudgetUsd: 50, alarmEmail: 'ops@example.com' }

test.each(REGIONS_WITHOUT['AWS::Lambda::Url'])('%s takes the service without streams alone', region => {
  expect(problems({}, region)).toEqual([
    `The region ${region} has no AWS::Lambda::Url. GET /stream needs it. Set streams=false: readers then poll GET /live.`,
  ])
  expect(problems({ streams: false }, region)).toEqual([])
  const byUrl = { streams: false, ingestion: 'function-url', concurrency: 1_000 }
  expect(problems(byUrl, region)).toEqual([expect.stringContaining('ingestion=function-url needs it')])
})

test.each(REGIONS_WITHOUT['AWS::Budgets::Budget'])('%s takes no budget', region => {
  expect(problems({ ...BUDGET, streams: false }, region)).toEqual([
    expect.stringContaining('has no AWS::Budgets::Budget. monthlyBudgetUsd needs it. Leave that option out'),
  ])
})

test.each(['us-east-1', 'eu-west-1', 'eu-central-1'])('%s takes every option', region => {
  expect(problems({ ...BUDGET, ingestion: 'function-url', concurrency: 1_000 }, region)).toEqual([])
})

test.each([
  'cn-north-1',
  'us-gov-west-1',
  'us-iso-east-1',
  'us-isob-east-1',
  'eu-isoe-west-1',
  'eusc-de-east-1',
])('%s is refused whatever the options say', region => {
  expect(problems({ streams: false }, region)).toEqual([expect.stringContaining('not in the partition aws')])
})

test('the construct refuses the region of its Stage', () => {
  const stage = new Stage(new App(), 'Zurich', { env: { account: '123456789012', region: 'eu-central-2' } })
  const options = { config: readConfig({}), folders: {} as never }
  expect(() => new Service(stage, 'Footfall', options)).toThrow(
    new ConfigError(
      'The region eu-central-2 has no AWS::Lambda::Url. GET /stream needs it. Set streams=false: readers then poll GET /live.',
    ),
  )
})
