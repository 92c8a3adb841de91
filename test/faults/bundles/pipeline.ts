import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { OwnerAccess } from '#schemas/owner'
import { eventually } from '#test/support/eventually'
import {
  type BatchResult,
  exampleEvent,
  type HttpResult,
  kinesisEvent,
  type SqsEvent,
} from '#test/support/lambda-events'
import type { Deployed } from './deployed.ts'
import { parseBody, statsEvent, trackEvent } from './http-functions.ts'

const NO_FAILURES: BatchResult = { batchItemFailures: [] }

export function pipeline(deployed: () => Deployed): void {
  test('a tracked event is in the stats before and after its compaction', async () => {
    const { service } = deployed()
    const response = await service.invoke<HttpResult>('track', trackEvent(deployed()))
    expect([response.statusCode, parseBody(response)]).toEqual([202, { ok: true, queued: true }])

    const { shard, entries } = await service.readStream()
    expect(await service.invoke('lake', kinesisEvent(shard, entries))).toEqual(NO_FAILURES)
    const hotTotals = await readTotals(deployed())
    expect(hotTotals).toMatchObject({ total_events: 1, unique_users: 1 })

    await service.invoke('scheduler', exampleEvent('scheduler'))
    const [job] = await service.receiveJobs()
    expect(await service.invoke('jobs', job?.event)).toEqual(NO_FAILURES)
    await job?.delete()
    // Without hot files, only the segment can give the next response.
    const [{ key } = { key: '' }] = await service.lake.list('hot/')
    const file = (await service.lake.get(key)) ?? new Uint8Array()
    await service.lake.delete([key])
    expect(await readTotals(deployed())).toEqual(hotTotals)
    await service.lake.put(key, file)
  })

  test('with memory for small reads, the function answers itself, from copies of the files', async () => {
    const { service } = deployed()
    const withReceipt = statsEvent(deployed(), event => {
      event.rawQueryString = [event.rawQueryString, 'receipt=true'].filter(Boolean).join('&')
    })
    const byAthena = await service.invoke<HttpResult>('reports', withReceipt)
    const small = await service.start('reports', { READS_MEMORY_MB: '256' })
    const byDuckdb = await small.invoke<HttpResult>(withReceipt)
    await small.kill()
    expect(byDuckdb.statusCode).toBe(200)
    const engines = [byAthena, byDuckdb].map(response => parseBody(response).receipt.engine)
    expect(engines).toEqual(['athena', 'duckdb'])
    expect(parseBody(byDuckdb).totals).toEqual(parseBody(byAthena).totals)
    expect(small.logged().filter(({ code }) => code === 'SMALL_READ_FAILED')).toEqual([])
  })

  describe('the lake function', () => {
    test('reports the first record that failed, and stores it with the later ones when the batch is retried', async () => {
      const { service } = deployed()
      const { shard, highWater } = await addRecords(deployed(), 3)
      const { entries } = await service.readStream(highWater)
      const broken = await service.start('lake', { BUCKET_NAME: 'no-such-bucket' })
      const failed = await broken.invoke<BatchResult>(kinesisEvent(shard, entries))
      expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: entries[0]?.sequence }] })
      expect(broken.logged()).toContainEqual(expect.objectContaining({ code: 'LAKE_BATCH_FAILED' }))
      await broken.kill()

      // The claim is still open. The retried batch is shorter, so the consumer reads the rest from the
      // stream.
      expect(await service.invoke('lake', kinesisEvent(shard, entries.slice(0, 1)))).toEqual(NO_FAILURES)
      expect((await service.stores.lakeState.shard(shard)).highWater).toBe(entries.at(-1)?.sequence)
      expect(await service.invoke('lake', kinesisEvent(shard, entries))).toEqual(NO_FAILURES)
    })

    test('quarantines and counts a record that it cannot read', async () => {
      const { service } = deployed()
      const { shard, highWater } = await addRecords(deployed(), 1)
      await service.stream.append([Buffer.from('not a record')])
      const { entries } = await service.readStream(highWater)
      expect(await service.invoke('lake', kinesisEvent(shard, entries))).toEqual(NO_FAILURES)
      const [object] = await service.lake.list('quarantine/')
      const line = JSON.parse(Buffer.from((await service.lake.get(object?.key ?? '')) ?? []).toString())
      expect(Buffer.from(line.data, 'base64').toString()).toBe('not a record')
      const lines = (await service.processOf('lake')).logged()
      expect(lines).toContainEqual(expect.objectContaining({ level: 'ERROR', code: 'RECORD_QUARANTINED' }))
      expect(lines).toContainEqual(expect.objectContaining({ service: 'lake', RECORD_QUARANTINED: 1 }))
    })
  })

  test('the scheduler publishes no ages of a healthy lake', async () => {
    const { service } = deployed()
    await service.invoke('scheduler', exampleEvent('scheduler'))
    const lines = (await service.processOf('scheduler')).logged()
    expect(lines.filter(line => line.level === 'ERROR' || 'CompactionLagSeconds' in line)).toEqual([])
  })

  describe('the jobs function', () => {
    test('runs a job again after the function was killed during the first run', async () => {
      const { service } = deployed()
      const { shard, highWater } = await addRecords(deployed(), 2)
      await service.invoke('lake', kinesisEvent(shard, (await service.readStream(highWater)).entries))
      const segments = await service.lake.list('segments/events/')
      await openNextEpoch(deployed())
      await service.invoke('scheduler', exampleEvent('scheduler'))
      const silentServer = createServer().listen(0, '127.0.0.1')
      await once(silentServer, 'listening')
      const { port } = silentServer.address() as AddressInfo
      const hangingFunction = await service.start('jobs', { AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` })
      const [first] = await service.receiveJobs()
      const connection = once(silentServer, 'connection')
      hangingFunction.invoke(first?.event).catch(() => {})
      await connection
      await hangingFunction.kill()
      silentServer.close()

      const secondDelivery = await eventually(async () => {
        const [message] = await service.receiveJobs()
        if (message === undefined) throw new Error('the message is not visible yet')
        return message
      })
      expect(secondDelivery.event.Records[0].messageId).toBe(first?.event.Records[0].messageId)
      expect(await service.invoke('jobs', secondDelivery.event)).toEqual(NO_FAILURES)
      await secondDelivery.delete()
      expect(await service.lake.list('segments/events/')).toHaveLength(segments.length + 1)
    })

    test('deletes the temporary files of a killed job when it starts', async () => {
      const { service } = deployed()
      const folder = join(service.temporary, 'compaction/merge-Xy12Zw')
      mkdirSync(folder, { recursive: true })
      const restarted = await service.start('jobs')
      expect(existsSync(folder)).toBe(false)
      await restarted.kill()
    })

    test('reports a failed job, so that its message is delivered again', async () => {
      const { service } = deployed()
      const job: SqsEvent = exampleEvent<SqsEvent>('sqs', ({ Records: [record] }) => {
        record.body = JSON.stringify({ kind: 'compact', from: 1, until: 2, buckets: null })
      })
      const { messageId } = job.Records[0]
      expect(await service.invoke('jobs', job)).toEqual({
        batchItemFailures: [{ itemIdentifier: messageId }],
      })
      expect((await service.processOf('jobs')).logged()).toContainEqual(
        expect.objectContaining({ JOB_FAILED: 1 }),
      )
    })
  })

  describe('the owner function', () => {
    test('returns a new key for the same account and project when called again, and revokes the first key', async () => {
      const { service, owner } = deployed()
      const secondProcess = await service.start('owner')
      const credentials = await secondProcess.invoke<OwnerAccess>({})
      expect({ ...credentials, api_key: '', setup_link: '' }).toEqual({
        ...owner,
        api_key: '',
        setup_link: '',
      })
      expect(credentials.api_key).not.toBe(owner.api_key)
      // Another process may know a replaced key for 5 s.
      await eventually(async () => {
        const response = await service.invoke<HttpResult>('reports', statsEvent(deployed()))
        expect(response.statusCode).toBe(401)
      })
      owner.api_key = credentials.api_key
      expect(await readTotals(deployed())).toMatchObject({ unique_users: 1 })
    })

    test.each([
      ['an unknown field', { mail: 'x@example.com' }, 'mail'],
      ['an invalid project name', { project: 'my shop' }, '`name` must'],
      ['an email address that is not the owner’s', { email: 'else@example.com' }, 'email'],
    ])('rejects %s', async (_, event, message) => {
      await expect(deployed().service.invoke('owner', event)).rejects.toThrow(message)
    })
  })

  describe('the restore function', () => {
    test('finishes the claims that a table of an earlier moment has lost, and no event is counted twice', async () => {
      const { service } = deployed()
      const before = await scanState(deployed())
      const { shard, highWater } = await addRecords(deployed(), 3)
      const { entries } = await service.readStream(highWater)
      await service.invoke('lake', kinesisEvent(shard, entries))
      const totals = await readTotals(deployed())
      for (const Item of before) await service.state.client.put({ TableName: service.state.table, Item })
      expect(await service.invoke('restore', {})).toMatchObject({
        claims: 1,
        lost: { events: 0, records: 0, segments: 0 },
      })
      await service.invoke('lake', kinesisEvent(shard, entries))
      expect(await readTotals(deployed())).toEqual(totals)
      expect(await service.invoke('restore', {})).toMatchObject({ claims: 0, buckets: 0, records: 0 })
    })

    test('takes the records of a hot file that the lake has lost from the stream again', async () => {
      const { service } = deployed()
      const { shard, highWater } = await addRecords(deployed(), 2)
      await service.invoke('lake', kinesisEvent(shard, (await service.readStream(highWater)).entries))
      const totals = await readTotals(deployed())
      const { highWater: last } = await service.stores.lakeState.shard(shard)
      const lost = (await service.lake.list('hot/')).filter(({ key }) => key.includes(`${last}.parquet`))
      await service.lake.delete(lost.map(({ key }) => key))
      expect(lost).toHaveLength(1)
      expect(await service.invoke('restore', {})).toMatchObject({ records: 2, lost: { records: 0 } })
      expect(await readTotals(deployed())).toEqual(totals)
    })

    test('refuses to run beside maintenance', async () => {
      const { lakeState } = deployed().service.stores
      const fence = await lakeState.lease(Date.now(), Date.now() + 60_000)
      await expect(deployed().service.invoke('restore', {})).rejects.toThrow('Maintenance runs.')
      await lakeState.release(fence ?? 0)
    })
  })

  test('log lines and traces hold no keys, tokens, addresses or event names', async () => {
    const { service, owner } = deployed()
    const names = ['track', 'reports', 'control', 'lake', 'jobs', 'restore', 'scheduler', 'owner'] as const
    const lines = await Promise.all(names.map(async name => (await service.processOf(name)).logged()))
    await eventually(() => expect(service.traces.length).toBeGreaterThan(20))
    const output = `${JSON.stringify(lines)} ${service.traces.join(' ')}`
    expect(output).toContain('DynamoDB')
    const secrets = [
      owner.api_key,
      owner.project_token,
      'aak_',
      'aat_',
      'owner@example.com',
      '198.51.100.23',
      'signup',
    ]
    expect(secrets.filter(secret => output.includes(secret))).toEqual([])
  })
}

async function scanState({ service: { state } }: Deployed): Promise<Record<string, unknown>[]> {
  return (await state.client.scan({ TableName: state.table })).Items ?? []
}

/** Opens an epoch earlier than maintenance would. The next tick compacts the one before. */
async function openNextEpoch({ service: { stores } }: Deployed): Promise<void> {
  const { lakeState } = stores
  const { epoch } = await lakeState.lake()
  const fence = await lakeState.lease(Date.now(), Date.now() + 60_000)
  if (fence === null) throw new Error('the lease is not free')
  await lakeState.openEpoch(fence, epoch, Date.now())
  await lakeState.release(fence)
}

async function readTotals(deployed: Deployed) {
  const response = await deployed.service.invoke<HttpResult>('reports', statsEvent(deployed))
  expect(response.statusCode).toBe(200)
  return parseBody(response).totals
}

/** Tracks `count` events, each in a record of its own. Returns the shard's high water before them. */
async function addRecords(
  deployed: Deployed,
  count: number,
): Promise<{ shard: string; highWater: string | null }> {
  const { service } = deployed
  const { shard } = await service.readStream()
  const { highWater } = await service.stores.lakeState.shard(shard)
  for (let i = 0; i < count; i++) await service.invoke('track', trackEvent(deployed))
  return { shard, highWater }
}
