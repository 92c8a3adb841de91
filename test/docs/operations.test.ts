import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { options, readConfig } from '#lib/config'
import { functions } from '#schemas/functions'
import { logCodes } from '#schemas/log'
import { synthesize } from '#test/lib/synthesized'

/** docs/operations.md speaks of what the service and its stack really have. */

const document = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const { template, all } = synthesize()

const OF_FUNCTION = new RegExp(`-(${Object.keys(functions).join('|')})$`)
/** Of an Athena statement. */
const OF_STATE = /-[A-Z]+$/

/** The names under which alarms send their reader here; of those for each function or state there is one. */
function alarmNames(): string[] {
  const described = all('AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    String(Properties.AlarmDescription),
  )
  const names = described.map(
    text => /See docs\/operations\.md, ([\w-]+)\.$/.exec(text)?.[1] ?? `no name in: ${text}`,
  )
  return [
    ...new Set(names.map(name => name.replace(OF_FUNCTION, '-<function>').replace(OF_STATE, '-<state>'))),
  ]
}

test('each alarm has a section that says what to do, and each of those sections an alarm', () => {
  const section = document.slice(document.indexOf('\n## Alarms\n'), document.indexOf('\n## A stuck shard\n'))
  const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, name = '']) =>
    name.replace(/&lt;(.+)&gt;/, '<$1>'),
  )
  expect(headings.length).toBeGreaterThan(10)
  expect(headings.toSorted()).toEqual(alarmNames().toSorted())
})

test('each log code has its line that says what to do', () => {
  for (const code of Object.keys(logCodes)) expect(document).toContain(`\`${code}\``)
})

test('each option of the deployment is explained', () => {
  const section = document.slice(document.indexOf('\n## Options\n'), document.indexOf('\n## Upgrade'))
  for (const { name } of options) expect(section).toContain(`\`${name}`)
})

test('options that are kept stand in cdk.json, where the next deployment finds them too; -c is for trials', () => {
  const tried = [...document.matchAll(/(?<![\w-])-c (\w+)=/g)].map(([, name]) => name)
  expect(new Set(tried)).toEqual(new Set(['name', 'epochMinutes', 'maxScanGb', 'requestsPerSecond']))
  const kept = [...document.matchAll(/^ +"context": (\{.+\})$/gm)].map(([, json = '']) => JSON.parse(json))
  expect(kept.flatMap(Object.keys)).toContain('alarmEmail')
  const certificateArn = 'arn:aws:acm:us-east-1:123456789012:certificate/1f0a'
  for (const context of kept) {
    const filled = context.certificateArn === 'ARN' ? { ...context, certificateArn } : context
    expect(readConfig(filled)).toMatchObject(filled)
  }
})

test('each resource that a command asks for by name is in the stack, once', () => {
  const asked = [...document.matchAll(/\$\(resource (\w+)\)/g)].map(([, name = '']) => name)
  // The loop over all functions asks for the log of each.
  const names = [...asked, ...Object.keys(functions).map(name => `${name}Log`)]
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) {
    const found = Object.keys(template.Resources).filter(id => new RegExp(`^${name}[0-9A-F]{8}$`).test(id))
    expect(found, name).toHaveLength(1)
  }
})

test('each output that a command asks for is one of the stack', () => {
  const asked = [...document.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name)
  expect(asked.length).toBeGreaterThan(3)
  for (const name of asked) expect(Object.keys(template.Outputs)).toContain(name)
})
