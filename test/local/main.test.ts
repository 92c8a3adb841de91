import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { lakeFiles, read } from '../support/read-back.ts'
import { cleanUp, failingService, launchService, newFolder, startService } from '../support/service.ts'
import { trackingClient } from '../support/tracking-client.ts'

afterAll(cleanUp)

const isWarm = (path: string) => path.includes('/warm/')

test('a setting that cannot be used ends the start with its name and exit code 1', async () => {
  const { code, output } = await failingService({ env: { QUERY_MEMORY_MB: 'much', BASE_URL: 'localhost' } })
  expect(code).toBe(1)
  expect(output).toContain('Footfall cannot start: ')
  expect(output).toContain('QUERY_MEMORY_MB must be a whole number')
  expect(output).toContain('BASE_URL must be')
})

test('a port that is taken ends the start with its number', async () => {
  const other = createServer()
  const port = await new Promise<number>(resolve => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port))
  })
  const { code, output } = await failingService({ port })
  other.close()
  expect(code).toBe(1)
  expect(output).toContain(`Footfall cannot start: port ${port} is taken`)
})

test('a host that is not of this machine ends the start with its name', async () => {
  const { code, output } = await failingService({ env: { HOST: '192.0.2.1' } })
  expect(code).toBe(1)
  expect(output).toContain('HOST=192.0.2.1 is not an address of this machine')
})

test('a second service on the same folder is refused, and the first one goes on', async () => {
  const first = await startService()
  const { code, output } = await failingService({ dataDir: first.dataDir })
  expect(code).toBe(1)
  expect(output).toContain(`Footfall cannot start: another Footfall service runs on ${first.dataDir}`)
  await read(first, '/projects')
  expect(await first.stop()).toBe(0)
})

test('a folder that cannot be made is refused by name', async () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  const { code, output } = await failingService({ dataDir: join(file, 'data') })
  expect(code).toBe(1)
  expect(output).toContain(`the data folder ${join(file, 'data')} cannot be written`)
})

test('a folder that may not be written is refused by name', async () => {
  // Root may write anywhere but there. To run as somebody else would need a checkout that others may read.
  const dataDir = process.getuid?.() === 0 ? '/proc' : newFolder()
  if (dataDir !== '/proc') chmodSync(dataDir, 0o555)
  const { code, output } = await failingService({ dataDir })
  expect(code).toBe(1)
  expect(output).toContain(`the data folder ${dataDir} cannot be written`)
})

test('credentials that cannot be read are not replaced', async () => {
  const service = await startService()
  await service.stop()
  writeFileSync(join(service.dataDir, 'credentials.json'), '{"api_key": ')
  const { code, output } = await failingService({ dataDir: service.dataDir })
  expect(code).toBe(1)
  expect(output).toContain('delete it to get a new API key')
})

test('without its credentials file the owner gets a new key for the same account and project', async () => {
  const first = await startService()
  await first.stop()
  rmSync(join(first.dataDir, 'credentials.json'))
  const second = await startService({ dataDir: first.dataDir })
  const { account_id, project_token } = first.credentials
  expect(second.credentials).toMatchObject({ account_id, project_token })
  expect(second.credentials.api_key).not.toBe(first.credentials.api_key)
  await read(second, '/projects')
  await expect(read({ ...second, credentials: first.credentials }, '/projects')).rejects.toThrow('401')
  await second.stop()
})

test('a first start that is killed at any moment is completed by the next one', async () => {
  const dataDir = newFolder()
  for (const ms of [150, 300, 450, 600, 800, 1_000]) {
    const launch = launchService({ dataDir, seed: true })
    await new Promise(resolve => setTimeout(resolve, ms))
    await launch.kill9()
  }
  const service = await startService({ dataDir, seed: true })
  const { projects } = await read<{ projects: { name: string }[] }>(service, '/projects')
  expect(projects.map(({ name }) => name)).toEqual(['demo'])
  const stats = await read<{ totals: { total_events: number } }>(service, '/stats?project=demo&since=30d')
  expect(stats.totals.total_events).toBe(40_000)
  expect(await service.stop()).toBe(0)
})

test('a Ctrl-C stops it cleanly whenever it comes, also while it says that it is ready', async () => {
  const dataDir = newFolder()
  for (const printed of [/^process /m, ...Array(6).fill(/^ready /m)]) {
    expect(await launchService({ dataDir }).stopAt(printed)).toBe(0)
  }
}, 120_000)

test('it goes on, and stops cleanly, when nobody can take its log any more', async () => {
  const service = await startService({ env: { EPOCH_SECONDS: '1' } })
  service.hangUp()
  const client = trackingClient({ credentials: service.credentials, prefix: 'unheard' })
  // Epochs that were compacted were lines of the log.
  await eventually(() => expect(lakeFiles(service.dataDir).filter(isWarm).length).toBeGreaterThan(1), {
    timeoutMs: 60_000,
  })
  await client.stop()
  await read(service, '/projects')
  expect(await service.stop()).toBe(0)
}, 120_000)

test('it answers on both addresses that localhost may mean', async () => {
  const service = await startService()
  const { port } = new URL(service.baseUrl)
  for (const host of ['127.0.0.1', 'localhost']) {
    expect((await fetch(`http://${host}:${port}/health`)).status).toBe(200)
  }
  expect(await service.stop()).toBe(0)
})
