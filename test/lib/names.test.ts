import { expect, test } from 'vitest'
import { catalogName } from '#lib/catalog'
import { synthesize } from './synthesized.ts'

/** The names of resources of several stacks in one account. */

const plain = synthesize()
const withDashboard = synthesize({ dashboard: true })
const longName = `A${'a'.repeat(40)}`
const withLongName = synthesize({ stackName: longName, dashboard: true })

type Ref = { Ref: string }

test('the dashboard is an option, and its name includes the region, because dashboards are global in an account', () => {
  expect(plain.all('AWS::CloudWatch::Dashboard')).toEqual([])
  expect(withDashboard.only('AWS::CloudWatch::Dashboard').Properties.DashboardName).toEqual({
    'Fn::Join': ['', ['Footfall-', { Ref: 'AWS::Region' }]],
  })
})

test('two stacks in one account share no resource name', () => {
  const fixedNames = ({ all }: typeof plain) => [
    ...all('AWS::Athena::WorkGroup').map(([, { Properties }]) => Properties.Name),
    ...all('AWS::Glue::Database').map(
      ([, { Properties }]) => (Properties.DatabaseInput as { Name: string }).Name,
    ),
    ...all('AWS::Logs::LogGroup').flatMap(([, { Properties }]) => Properties.LogGroupName ?? []),
    ...all('AWS::CloudWatch::Dashboard').map(([, { Properties }]) =>
      JSON.stringify(Properties.DashboardName),
    ),
    ...all('AWS::CloudFront::CachePolicy').map(([, { Properties }]) => JSON.stringify(Properties)),
  ]
  const names = fixedNames(withDashboard)
  expect(names.length).toBeGreaterThan(5)
  expect(fixedNames(withLongName).filter(name => names.includes(name))).toEqual([])
})

test('the name of every resource that is global in an account has the region and the stack, and fits its limit', () => {
  const { all } = withLongName
  const names = [
    ...all('AWS::CloudFront::CachePolicy').map(([, { Properties }]) => Properties.CachePolicyConfig),
    ...all('AWS::CloudFront::OriginRequestPolicy').map(
      ([, { Properties }]) => Properties.OriginRequestPolicyConfig,
    ),
    ...all('AWS::CloudFront::ResponseHeadersPolicy').map(
      ([, { Properties }]) => Properties.ResponseHeadersPolicyConfig,
    ),
    ...all('AWS::CloudFront::Function').map(([, { Properties }]) => Properties),
  ].map(config => (config as { Name: { 'Fn::Join': [string, (string | Ref)[]] } }).Name)
  expect(names).toHaveLength(6)
  for (const name of names) {
    const parts = name['Fn::Join'][1]
    expect(parts).toContainEqual({ Ref: 'AWS::Region' })
    const text = parts.map(part => (typeof part === 'string' ? part : 'ap-southeast-1')).join('')
    expect(text).toContain(longName)
    // The limits of functions, and of policies.
    expect(text.length).toBeLessThanOrEqual(text.endsWith('-host') ? 64 : 128)
    expect(text).toMatch(/^[\w-]+$/)
  }
  expect(new Set(names.map(name => JSON.stringify(name))).size).toBe(names.length)
})

test('names of stacks that differ only in capital letters have catalogs of their own', () => {
  const stackNames = [
    'A-b',
    'a-B',
    'A-B',
    'a-b',
    'AB',
    'Ab',
    'Footfall',
    'footfall',
    'Footfall-2',
    'Footfall-Staging',
  ]
  const catalogs = stackNames.map(catalogName)
  expect(new Set(catalogs).size).toBe(stackNames.length)
  for (const name of catalogs) expect(name).toMatch(/^[a-z0-9_]+$/)
  expect([catalogName('Footfall'), catalogName('Footfall-Staging')]).toEqual(['footfall', 'footfall_staging'])
  const { only } = synthesize({ stackName: 'a-B' })
  expect(only('AWS::Athena::WorkGroup').Properties.Name).toBe(catalogName('a-B'))
})
