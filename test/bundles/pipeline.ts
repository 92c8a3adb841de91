import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gauges } from '#schemas/log'
import type { Credentials } from '#schemas/owner'
import {
  type BatchResult,
  captured,
  type HttpResult,
  kinesisEvent,
  type SqsEvent,
} from '../support/bundle-world.ts'
import { eventually } from '../support/eventually.ts'
import type { Deployed } from './bundles.test.ts'
import { bodyOf, stats, track } from './http-functions.ts'

const NOTHING_FAILED: BatchResult = { batchItemFailures: [] }

export function pipeline(deployed: () => Deployed): void {
  test('an event goes from the request to the compacted copy that a report reads', async () => {
    const { world } = deployed()
    const answer = await world.invoke<HttpResult>('track', track(deployed()))
    expect([answer.statusCode, bodyOf(answer)]).toEqual([202, { ok: true, queued: true }])

    const { shard, entries } = await world.onStream()
    expect(await world.invoke('lake', kinesisEvent(shard, entries))).toEqual(NOTHING_FAILED)
    const hot = await totals(deployed())
    expect(hot).toMatchObject({ total_events: 1, unique_users: 1 })

    await world.invoke('scheduler', captured('scheduler'))
    const [job] = await world.receiveJobs()
    expect(await world.invoke('jobs', job?.event)).toEqual(NOTHING_FAILED)
    await job?.done()
    await world.invoke('scheduler', captured('scheduler'))
    // Nothing but the warm copy can have answered the next read.
    await world.lake.delete((await world.lake.list('hot/')).map(({ key }) => key))
    expect(await totals(deployed())).toEqual(hot)
  })

  describe('the lake function', () => {
    test('reports the first record that it could not take, and takes the rest when it comes again', async () => {
      const { world } = deployed()
      const { shard, highWater } = await newRecords(deployed(), 3)
      const { entries } = await world.onStream(highWater)
      const broken = await world.start('lake', { BUCKET_NAME: 'no-such-bucket' })
      const failed = await broken.invoke<BatchResult>(kinesisEvent(shard, entries))
      expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: entries[0]?.sequence }] })
      expect(broken.logged()).toContainEqual(expect.objectContaining({ code: 'LAKE_BATCH_FAILED' }))
      await broken.cutOff()

      // The claim is open now; the batch that comes is shorter, so its end is read from the stream.
      expect(await world.invoke('lake', kinesisEvent(shard, entries.slice(0, 1)))).toEqual(NOTHING_FAILED)
      expect((await world.stores.lakeState.shard(shard)).highWater).toBe(entries.at(-1)?.sequence)
      expect(await world.invoke('lake', kinesisEvent(shard, entries))).toEqual(NOTHING_FAILED)
    })

    test('puts a record that cannot be read aside, and counts it', async () => {
      const { world } = deployed()
      const { shard, highWater } = await newRecords(deployed(), 1)
      await world.stream.append([Buffer.from('no record of ours')])
      const { entries } = await world.onStream(highWater)
      expect(await world.invoke('lake', kinesisEvent(shard, entries))).toEqual(NOTHING_FAILED)
      const [object] = await world.lake.list('quarantine/')
      const line = JSON.parse(Buffer.from((await world.lake.get(object?.key ?? '')) ?? []).toString())
      expect(Buffer.from(line.data, 'base64').toString()).toBe('no record of ours')
      const lines = (await world.fn('lake')).logged()
      expect(lines).toContainEqual(expect.objectContaining({ level: 'ERROR', code: 'RECORD_QUARANTINED' }))
      expect(lines).toContainEqual(expect.objectContaining({ service: 'lake', RECORD_QUARANTINED: 1 }))
    })
  })

  test('the scheduler publishes the gauges of the lake', async () => {
    const { world } = deployed()
    await world.invoke('scheduler', captured('scheduler'))
    const { epoch } = await world.stores.lakeState.lake()
    const lines = (await world.fn('scheduler')).logged()
    const last = lines.findLast(line => 'Epoch' in line)
    expect(Object.keys(gauges).map(name => last?.[name])).toEqual([0, 0, epoch])
  })

  describe('the jobs function', () => {
    test('is given a job again that was cut off, and does it', async () => {
      const { world } = deployed()
      const { shard, highWater } = await newRecords(deployed(), 2)
      await world.invoke('lake', kinesisEvent(shard, (await world.onStream(highWater)).entries))
      const { epoch } = await world.stores.lakeState.lake()
      await world.jobs.send({ kind: 'compact-warm', epoch, part: 0, parts: 1 })
      const silent = createServer().listen(0, '127.0.0.1')
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const stuck = await world.start('jobs', { AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${port}` })
      const [first] = await world.receiveJobs()
      const asked = once(silent, 'connection')
      stuck.invoke(first?.event).catch(() => {})
      await asked
      await stuck.cutOff()
      silent.close()

      const again = await eventually(async () => {
        const [message] = await world.receiveJobs()
        if (message === undefined) throw new Error('the message is not there yet')
        return message
      })
      expect(again.event.Records[0].messageId).toBe(first?.event.Records[0].messageId)
      expect(await world.invoke('jobs', again.event)).toEqual(NOTHING_FAILED)
      await again.done()
      expect(await world.lake.list(`warm/epoch=${epoch}/`)).toHaveLength(1)
    })

    test('clears what a job that was cut off has left on the disk', async () => {
      const { world } = deployed()
      const left = join(world.temporary, 'merging/merge-Xy12Zw')
      mkdirSync(left, { recursive: true })
      const next = await world.start('jobs')
      expect(existsSync(left)).toBe(false)
      await next.cutOff()
    })

    test('reports a job that fails, so that its message comes again', async () => {
      const { world } = deployed()
      const job: SqsEvent = captured<SqsEvent>('sqs', ({ Records: [record] }) => {
        record.body = JSON.stringify({ kind: 'compact-cold', from: 7_000, until: 7_001, bucket: 3 })
      })
      const { messageId } = job.Records[0]
      expect(await world.invoke('jobs', job)).toEqual({ batchItemFailures: [{ itemIdentifier: messageId }] })
      expect((await world.fn('jobs')).logged()).toContainEqual(expect.objectContaining({ JOB_FAILED: 1 }))
    })
  })

  describe('the owner function', () => {
    test('called again, gives another key for the same account and project; the first key is dead', async () => {
      const { world, owner } = deployed()
      const other = await world.start('owner')
      const again = await other.invoke<Credentials>({})
      expect({ ...again, api_key: '' }).toEqual({ ...owner, api_key: '' })
      expect(again.api_key).not.toBe(owner.api_key)
      const dead = await world.invoke<HttpResult>('reports', stats(deployed()))
      expect(dead.statusCode).toBe(401)
      owner.api_key = again.api_key
      expect(await totals(deployed())).toMatchObject({ unique_users: 1 })
    })

    test.each([
      ['a field that it does not know', { mail: 'x@example.com' }, 'mail'],
      ['a name that no project may have', { project: 'my shop' }, 'name takes'],
      ['another address than the owner’s', { email: 'else@example.com' }, 'email'],
    ])('refuses %s', async (_, event, message) => {
      await expect(deployed().world.invoke('owner', event)).rejects.toThrow(message)
    })
  })

  test('neither log lines nor traces hold keys, tokens, addresses or what visitors did', async () => {
    const { world, owner } = deployed()
    const names = ['track', 'reports', 'control', 'lake', 'jobs', 'scheduler', 'owner'] as const
    const lines = await Promise.all(names.map(async name => (await world.fn(name)).logged()))
    await eventually(() => expect(world.traces.length).toBeGreaterThan(20))
    const told = `${JSON.stringify(lines)} ${world.traces.join(' ')}`
    expect(told).toContain('DynamoDB')
    const secrets = [
      owner.api_key,
      owner.project_token,
      'aak_',
      'aat_',
      'owner@example.com',
      '198.51.100.23',
      'signup',
    ]
    expect(secrets.filter(secret => told.includes(secret))).toEqual([])
  })
}

async function totals(deployed: Deployed) {
  const answer = await deployed.world.invoke<HttpResult>('reports', stats(deployed))
  expect(answer.statusCode).toBe(200)
  return bodyOf(answer).totals
}

/** Sends events, one a record; where the shard's highWater was before. */
async function newRecords(
  deployed: Deployed,
  count: number,
): Promise<{ shard: string; highWater: string | null }> {
  const { world } = deployed
  const { shard } = await world.onStream()
  const { highWater } = await world.stores.lakeState.shard(shard)
  for (let i = 0; i < count; i++) await world.invoke('track', track(deployed))
  return { shard, highWater }
}
