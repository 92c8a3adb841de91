import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { options, readConfig } from '#lib/config'
import { functions } from '#schemas/functions'
import { logCodes } from '#schemas/log'
import { synthesize } from '#test/lib/synthesized'

/**
 * The pages for operators name alarms, log codes, options and resources of the service. These tests check
 * that they exist.
 */

const page = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8')
const alarms = page('alarms')
const aws = page('aws')
const commands = alarms + aws
const CHANGED = { silenceHours: 24, rollout: 'canary', backupDays: 7 }
const plain = synthesize(CHANGED)
const heard = synthesize({ ...CHANGED, alarmEmail: 'ops@example.com' })
const { template, all } = heard

/** Returns the anchors in the texts of all alarms. Alarms of functions and states share one section. */
function alarmAnchors(): string[] {
  const described = all('AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    String(Properties.AlarmDescription),
  )
  const anchors = described.map(
    text => /See docs\/alarms\.md#([\w-]+)\.$/.exec(text)?.[1] ?? `No section in: ${text}`,
  )
  return [...new Set(anchors)]
}

test('every alarm has a section, and every section of alarms has an alarm', () => {
  const section = alarms.slice(alarms.indexOf('\n## Alarms\n'), alarms.indexOf("\n## From a user's message"))
  const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, name = '']) =>
    name.replace(/&lt;(.+)&gt;/, '$1').toLowerCase(),
  )
  expect(headings.length).toBeGreaterThan(10)
  expect(headings.toSorted()).toEqual(alarmAnchors().toSorted())
})

/** The names of alarms without the part that CloudFormation takes out of them. */
const alarmNames = (synthesized: typeof heard) =>
  synthesized.all('AWS::CloudWatch::Alarm').map(([id]) => id.replace(/^Alarms|[0-9A-F]{8}$/g, ''))

test('every name of an alarm in the texts for operators is one of the stack', () => {
  const named = [
    ...commands.matchAll(/\b(Errors|ServerErrors|Throttles|AthenaScan|TableThrottled|Rollout)-(\w+)/g),
  ]
  expect(named.length).toBeGreaterThan(3)
  for (const [whole, kind = '', of = ''] of named) expect(alarmNames(heard), whole).toContain(kind + of)
})

test('the page lists the early alarms, which exist only where somebody gets them', () => {
  const sentence = /exist only with\n`alarmEmail` or `alarmTopicArn` \(([^)]+)\)/.exec(alarms)?.[1] ?? ''
  const listed = [...sentence.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name.replace('-', ''))
  const main = new Set(alarmNames(plain))
  expect(listed.toSorted()).toEqual(
    alarmNames(heard)
      .filter(name => !main.has(name))
      .toSorted(),
  )
})

test('every log code is in the table of log codes', () => {
  const logCodeTable = alarms.slice(alarms.indexOf('\n## Log codes\n'))
  for (const code of Object.keys(logCodes)) expect(logCodeTable).toContain(`\`${code}\``)
})

test('every option of the deployment is in the table of options', () => {
  const section = aws.slice(aws.indexOf('\n## Options\n'), aws.indexOf('\n## Upgrade'))
  for (const { name } of options) expect(section).toContain(`\`${name}`)
})

test('the pages use -c only for trial options, and show permanent options as context of cdk.json', () => {
  const trialOptions = [...commands.matchAll(/(?<![\w-])-c (\w+)=/g)].map(([, name]) => name)
  expect(new Set(trialOptions)).toEqual(new Set(['name', 'maxScanGb', 'requestsPerSecond']))
  const permanentOptions = [...commands.matchAll(/^ +"context": (\{.+\})$/gm)].map(([, json = '']) =>
    JSON.parse(json),
  )
  expect(permanentOptions.flatMap(Object.keys)).toContain('alarmEmail')
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a'
  for (const context of permanentOptions) {
    const filled = context.certificateArn === 'ARN' ? { ...context, certificateArn } : context
    expect(readConfig(filled)).toMatchObject(filled)
  }
})

test('every resource that a command names is in the stack exactly once', () => {
  const references = [...commands.matchAll(/\$\(resource (\w+)\)/g)].map(([, name = '']) => name)
  // One command loops over the logs of all functions.
  const names = [...references, ...Object.keys(functions).map(name => `${name}Log`)]
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) {
    const matches = Object.keys(template.Resources).filter(id => new RegExp(`^${name}[0-9A-F]{8}$`).test(id))
    expect(matches, name).toHaveLength(1)
  }
})

/** The command that deletes what the stack keeps, by its type. */
const DELETIONS: Record<string, string> = {
  'AWS::S3::Bucket': 'aws s3api delete-bucket',
  'AWS::DynamoDB::Table': 'aws dynamodb delete-table',
  'AWS::Kinesis::Stream': 'aws kinesis delete-stream',
  'AWS::SecretsManager::Secret': 'aws secretsmanager delete-secret',
  'AWS::Backup::BackupVault': 'aws backup delete-backup-vault',
}

test('"Deleting everything" has a command for everything that outlives the stack', () => {
  const section = aws.slice(aws.indexOf('\n## Deleting everything\n')).replaceAll(/\s+/g, ' ')
  const kept = Object.values(template.Resources).filter(({ DeletionPolicy = '' }) =>
    DeletionPolicy.startsWith('Retain'),
  )
  expect(kept.map(({ Type }) => Type).toSorted()).toEqual(Object.keys(DELETIONS).toSorted())
  for (const command of Object.values(DELETIONS)) expect(section).toContain(command)
})

test('every output that a command names is in the stack', () => {
  const references = [...commands.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name)
  expect(references.length).toBeGreaterThan(3)
  for (const name of references) expect(Object.keys(template.Outputs)).toContain(name)
})
