import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { ArgumentError, helpText, parseArguments } from '#cost/arguments'
import { monthlyCost } from '#cost/model'
import { usage, usageSchema } from '#cost/usage'

const MAIN = fileURLToPath(new URL('../../cost/main.ts', import.meta.url))

test.each([
  ['1M', 1e6],
  ['100m', 100e6],
  ['10B', 10e9],
  ['2.5K', 2_500],
  ['300000', 300_000],
  ['0', 0],
])('--events %s means %d events', (text, events) => {
  expect(parseArguments(['--events', text]).usage).toEqual(usage({ events }))
})

test('an option has the name of its field, in dashes', () => {
  const args = [
    '--batch=10',
    '--retention-hours',
    '48',
    '--stream',
    'on-demand',
    '--event-ids',
    'yes',
    '--json',
  ]
  expect(parseArguments(args)).toEqual({
    usage: usage({ batch: 10, retentionHours: 48, stream: 'on-demand', eventIds: 'yes' }),
    show: 'services',
    json: true,
  })
})

describe('a wrong argument is an error that says what is right', () => {
  test.each([
    [['--events', '10X'], '--events must be a number such as 300000, 1M or 2.5B'],
    [['--events', '-5'], '--events'],
    [['--batch', '0'], '--batch must be a number from 1 to 100'],
    [['--batch', 'ten'], '--batch must be a number from 1 to 100'],
    [['--range', '1.5'], '--range must be a whole number from 1 to 3650'],
    [['--projects', '0'], '--projects must be at least 1'],
    [['--stream', 'ondemand'], '--stream must be one of provisioned, on-demand'],
    [['--event', '1M'], 'Run npm run cost -- --help for a list of options.'],
    [['1M'], 'Run npm run cost -- --help for a list of options.'],
    [['--lines', '--sensitivity'], 'Give only one of --lines, --sensitivity.'],
    [['--events', '10B', '--batch', '10', '--shards', '1'], 'this peak needs 2'],
    [['--stream', 'on-demand', '--shards', '2'], 'Option --shards works with --stream provisioned only.'],
  ])('%j', (args, message) => {
    expect(() => parseArguments(args)).toThrow(ArgumentError)
    expect(() => parseArguments(args)).toThrow(message)
  })

  test('several wrong arguments give one line each', () => {
    expect(() => parseArguments(['--events', 'x', '--batch', '0'])).toThrow(/--events .*\n.*--batch /)
  })
})

test('the help lists every option with its meaning', () => {
  for (const [name, field] of Object.entries(usageSchema.shape)) {
    const option = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)} `
    const line = helpText()
      .split('\n')
      .find(line => line.startsWith(`  ${option}`))
    expect(line, name).toContain(field.meta()?.description)
  }
})

test('the command prints the cost of each service, the total and the cost of a million events', () => {
  const output = execFileSync(process.execPath, [MAIN, '--events', '100M', '--batch', '10'], {
    encoding: 'utf8',
  })
  const { total, services } = monthlyCost(usage({ events: 100e6, batch: 10 }))
  for (const { service } of services) expect(output).toContain(`| ${service}`)
  expect(output).toMatch(/\| total +\| +[\d,.]+ \|/)
  expect(output).toContain(`${(total / 100).toFixed(2)} USD per million events.`)
})

test('--json prints the usage and the cost as JSON', () => {
  const output = execFileSync(process.execPath, [MAIN, '--events', '1M', '--json'], { encoding: 'utf8' })
  const { usage: printedUsage, cost } = JSON.parse(output)
  expect(printedUsage).toEqual(usage({ events: 1e6 }))
  expect(cost).toEqual(JSON.parse(JSON.stringify(monthlyCost(printedUsage))))
})

test('a wrong argument ends the command with exit code 1 and a message, without a stack trace', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--events', 'many'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('--events must be a number')
  expect(stderr).not.toContain('    at ')
})
