import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { cleanUp, newFolder, startService } from '#test/support/service-process'
import { allEvents } from '#test/support/service-reads'
import { sendEvents, startTrackingClient } from '#test/support/tracking-client'

/** The copy that the timer of systemd makes of a running service. */
afterAll(cleanUp)

const script = resolve(import.meta.dirname, '../../local/systemd/backup.mjs')

async function backUp(dataDir: string, backups: string, keep: string): Promise<string> {
  const args = ['--disable-warning=ExperimentalWarning', script, dataDir, backups, keep]
  return (await promisify(execFile)(process.execPath, args)).stdout.trim()
}

test('a copy made under load starts with the same keys, and has all that was acknowledged before it', async () => {
  const service = await startService({ env: { EPOCH_SECONDS: '1' } })
  const { credentials, dataDir } = service
  const before = await sendEvents(60, { credentials, prefix: 'before' })
  const client = startTrackingClient({ credentials, prefix: 'meanwhile' })
  const backups = newFolder()
  mkdirSync(join(backups, 'half.unfinished'))
  const copies: string[] = []
  for (let i = 0; i < 3; i++) copies.push(await backUp(dataDir, backups, '2'))
  await client.stop()
  await service.stop()
  // The newest two, and nothing unfinished.
  expect(
    readdirSync(backups)
      .map(name => join(backups, name))
      .toSorted(),
  ).toEqual(copies.slice(1))
  const copy = copies[2] as string
  expect(statSync(copy).mode & 0o077).toBe(0)

  const restored = await startService({ dataDir: copy })
  expect(restored.credentials.api_key).toBe(credentials.api_key)
  await eventually(async () => {
    const ids = (await allEvents(restored)).map(({ event_id }) => event_id as string)
    expect(new Set(ids).size).toBe(ids.length)
    expect(before.filter(id => !ids.includes(id))).toEqual([])
  })
  expect(restored.output()).not.toMatch(/EVENTS_LOST|LAKE_BEHIND/)
  expect(await restored.stop()).toBe(0)
})

test('without a data folder it fails and says so', async () => {
  const empty = newFolder()
  await expect(backUp(empty, newFolder(), '2')).rejects.toThrow('has no state.db')
  expect(readdirSync(empty)).toEqual([])
  await expect(backUp(newFolder(), newFolder(), 'many')).rejects.toThrow('Use: backup.mjs')
})
