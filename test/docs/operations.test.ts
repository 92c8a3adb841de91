import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { options, readConfig } from '#lib/config'
import { functions } from '#schemas/functions'
import { logCodes } from '#schemas/log'
import { synthesize } from '#test/lib/synthesized'

/** docs/operations.md names alarms, log codes, options and resources of the service. These tests check that they exist. */

const document = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')
const { template, all } = synthesize({ silenceHours: 24 })

/** Returns the anchors in the texts of all alarms. Alarms of functions and states share one section. */
function alarmAnchors(): string[] {
  const described = all('AWS::CloudWatch::Alarm').map(([, { Properties }]) =>
    String(Properties.AlarmDescription),
  )
  const anchors = described.map(
    text => /See docs\/operations\.md#([\w-]+)\.$/.exec(text)?.[1] ?? `No section in: ${text}`,
  )
  return [...new Set(anchors)]
}

test('every alarm has a section, and every section of alarms has an alarm', () => {
  const section = document.slice(document.indexOf('\n## Alarms\n'), document.indexOf('\n## A stuck shard\n'))
  const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, name = '']) =>
    name.replace(/&lt;(.+)&gt;/, '$1').toLowerCase(),
  )
  expect(headings.length).toBeGreaterThan(10)
  expect(headings.toSorted()).toEqual(alarmAnchors().toSorted())
})

test('every log code is in the table of log codes', () => {
  for (const code of Object.keys(logCodes)) expect(document).toContain(`\`${code}\``)
})

test('every option of the deployment is in the table of options', () => {
  const section = document.slice(document.indexOf('\n## Options\n'), document.indexOf('\n## Upgrade'))
  for (const { name } of options) expect(section).toContain(`\`${name}`)
})

test('the page uses -c only for trial options, and shows permanent options as context of cdk.json', () => {
  const trialOptions = [...document.matchAll(/(?<![\w-])-c (\w+)=/g)].map(([, name]) => name)
  expect(new Set(trialOptions)).toEqual(new Set(['name', 'epochMinutes', 'maxScanGb', 'requestsPerSecond']))
  const permanentOptions = [...document.matchAll(/^ +"context": (\{.+\})$/gm)].map(([, json = '']) =>
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
  const references = [...document.matchAll(/\$\(resource (\w+)\)/g)].map(([, name = '']) => name)
  // One command loops over the logs of all functions.
  const names = [...references, ...Object.keys(functions).map(name => `${name}Log`)]
  expect(names.length).toBeGreaterThan(10)
  for (const name of names) {
    const matches = Object.keys(template.Resources).filter(id => new RegExp(`^${name}[0-9A-F]{8}$`).test(id))
    expect(matches, name).toHaveLength(1)
  }
})

test('every output that a command names is in the stack', () => {
  const references = [...document.matchAll(/\$\(output (\w+)\)/g)].map(([, name = '']) => name)
  expect(references.length).toBeGreaterThan(3)
  for (const name of references) expect(Object.keys(template.Outputs)).toContain(name)
})
