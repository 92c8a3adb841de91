import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, runFailingService, startService } from '#test/support/service-process'
import { allEvents } from '#test/support/service-reads'
import { sendEvents, startTrackingClient } from '#test/support/tracking-client'

/** Copies of a running service under load; test/local/backup has those of a folder that rests. */
afterAll(cleanUp)

const main = resolve(import.meta.dirname, '../../local/backup/main.ts')

async function run<T>(...words: string[]): Promise<T> {
  const args = ['--disable-warning=ExperimentalWarning', main, ...words, '--json']
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout) as T
}

test('a sealed copy made under load has on each day what the service counted, and starts with the same keys', async () => {
  const service = await startService({ env: { EPOCH_SECONDS: '1', STREAM_RETENTION_MINUTES: '0' } })
  const { credentials, dataDir } = service
  const before = await sendEvents(60, { credentials, prefix: 'before' })
  const client = startTrackingClient({ credentials, prefix: 'meanwhile' })
  const backups = newFolder()
  const keyFile = join(newFolder(), 'key')
  writeFileSync(keyFile, '0123456789abcdef'.repeat(4))
  const key = ['--key-file', keyFile]
  for (let i = 0; i < 3; i++) {
    const made = await run('backup', backups, '--data', dataDir, '--keep', '2', ...key)
    expect(made).toMatchObject({ isCounted: true })
  }
  await client.stop()
  await service.stop()
  const verdict = await run<{ events: number }>('verify', backups, ...key)
  expect(verdict).toMatchObject({ problems: [], isCounted: true, projects: 1 })
  expect(verdict.events).toBeGreaterThan(before.length)

  const restoredDir = newFolder()
  await run('restore', backups, '--data', restoredDir, ...key)
  const restored = await startService({ dataDir: restoredDir })
  expect(restored.credentials.api_key).toBe(credentials.api_key)
  await eventually(async () => {
    const ids = (await allEvents(restored)).map(({ event_id }) => event_id as string)
    expect(new Set(ids).size).toBe(ids.length)
    expect(before.filter(id => !ids.includes(id))).toEqual([])
    expect(ids).toHaveLength(verdict.events)
  })
  expect(restored.output()).not.toMatch(/EVENTS_LOST|LAKE_BEHIND/)
  expect(await restored.stop()).toBe(0)
})

test('a service does not start on a restoration that was interrupted', async () => {
  const dataDir = newFolder()
  writeFileSync(join(dataDir, 'restoring'), '')
  const { code, output } = await runFailingService({ dataDir })
  expect(code).toBe(1)
  expect(output).toContain('Run the same footfall restore again')
})
