import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

/** The unit of systemd. What only systemd itself can show is not run here. */

const ROOT = resolve(import.meta.dirname, '../..')
const path = join(ROOT, 'local/systemd/footfall.service')
const unit = readFileSync(path, 'utf8')
const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1]
const hasTool = spawnSync('systemd-analyze', ['--version']).status === 0

test('the unit runs what `npm start` runs', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(setting('ExecStart')).toBe(
    scripts.start.replace('exec node', '/opt/footfall/node_modules/.bin/node'),
  )
})

test('the unit leaves the service the time that its stop may take', () => {
  const [, stopMs = ''] =
    /STOP_WITHIN_MS = ([\d_]+)/.exec(readFileSync(join(ROOT, 'local/main.ts'), 'utf8')) ?? []
  expect(Number(setting('TimeoutStopSec')) * 1_000).toBeGreaterThan(Number(stopMs.replaceAll('_', '')))
})

test.runIf(hasTool)('systemd knows every line of the unit, and rates its exposure at most 3', () => {
  const { stderr } = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' })
  // The program is not where the unit will find it.
  expect(stderr.split('\n').filter(line => !/not executable|^$/.test(line))).toEqual([])
  const { stdout } = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' })
  const [, rating] = /Overall exposure level for \S+: ([\d.]+)/.exec(stdout) ?? []
  expect(Number(rating)).toBeLessThanOrEqual(3)
})

test('the timer makes a copy and verifies it, and systemd knows every line of all units', () => {
  const folder = join(ROOT, 'local/systemd')
  const backup = readFileSync(join(folder, 'footfall-backup.service'), 'utf8')
  const commands = [
    ...backup.matchAll(/^ExecStart=\S+ --disable-warning=ExperimentalWarning (\S+) (\w+) (.*)$/gm),
  ]
  expect(commands.map(([, path, name, words]) => [path, name, words])).toEqual([
    ['local/backup/main.ts', 'backup', '/var/lib/footfall-backups --data /var/lib/footfall --keep 7'],
    ['local/backup/main.ts', 'verify', '/var/lib/footfall-backups'],
  ])
  if (!hasTool) return
  const units = ['footfall-backup.service', 'footfall-backup.timer', 'footfall.socket'].map(name =>
    join(folder, name),
  )
  const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
  expect(stderr.split('\n').filter(line => !/not executable|^$/.test(line))).toEqual([])
})
