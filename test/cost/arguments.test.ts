import { execFileSync, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { helpText, readArguments, WrongArguments } from '#cost/arguments'
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
])('--events %s is %d', (given, events) => {
  expect(readArguments(['--events', given]).usage).toEqual(usage({ events }))
})

test('options bear the names of the fields, with dashes', () => {
  const given = [
    '--batch=10',
    '--retention-hours',
    '48',
    '--stream',
    'on-demand',
    '--event-ids',
    'yes',
    '--json',
  ]
  expect(readArguments(given)).toEqual({
    usage: usage({ batch: 10, retentionHours: 48, stream: 'on-demand', eventIds: 'yes' }),
    show: 'services',
    json: true,
  })
})

describe('what is wrong is named, with what would be right', () => {
  test.each([
    [['--events', '10X'], '--events must be a number such as 300000, 1M or 2.5B'],
    [['--events', '-5'], '--events'],
    [['--batch', '0'], '--batch must be a number from 1 to 100'],
    [['--batch', 'ten'], '--batch must be a number from 1 to 100'],
    [['--range', '1.5'], '--range must be a whole number from 1 to 3650'],
    [['--projects', '0'], '--projects must be at least 1'],
    [['--stream', 'ondemand'], '--stream must be one of provisioned, on-demand'],
    [['--event', '1M'], '--help lists the options'],
    [['1M'], '--help lists the options'],
    [['--lines', '--sensitivity'], 'give one of --lines, --sensitivity'],
    [['--events', '10B', '--batch', '10', '--shards', '1'], 'this peak needs 2'],
    [['--stream', 'on-demand', '--shards', '2'], '--shards is for --stream provisioned'],
  ])('%j', (given, said) => {
    expect(() => readArguments(given)).toThrow(WrongArguments)
    expect(() => readArguments(given)).toThrow(said)
  })

  test('all of it at once', () => {
    expect(() => readArguments(['--events', 'x', '--batch', '0'])).toThrow(/--events .*\n--batch /)
  })
})

test('the help names every option with its meaning and its default', () => {
  for (const [name, field] of Object.entries(usageSchema.shape)) {
    const option = `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)} `
    const line = helpText()
      .split('\n')
      .find(line => line.startsWith(`  ${option}`))
    expect(line, name).toContain(field.meta()?.description)
  }
})

test('the command prints the bill by service, its total and the price of a million events', () => {
  const printed = execFileSync(process.execPath, [MAIN, '--events', '100M', '--batch', '10'], {
    encoding: 'utf8',
  })
  const { total, services } = monthlyCost(usage({ events: 100e6, batch: 10 }))
  for (const { service } of services) expect(printed).toContain(`| ${service}`)
  expect(printed).toMatch(/\| total +\| +[\d,.]+ \|/)
  expect(printed).toContain(`${(total / 100).toFixed(2)} USD per million events.`)
})

test('--json is the same for a program', () => {
  const printed = execFileSync(process.execPath, [MAIN, '--events', '1M', '--json'], { encoding: 'utf8' })
  const { usage: used, cost } = JSON.parse(printed)
  expect(used).toEqual(usage({ events: 1e6 }))
  expect(cost).toEqual(JSON.parse(JSON.stringify(monthlyCost(used))))
})

test('bad input ends it with code 1 and a sentence, without a stack', () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--events', 'many'], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr).toContain('--events must be a number')
  expect(stderr).not.toContain('    at ')
})
