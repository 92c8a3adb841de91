import { parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { packText } from '#core/ingest/packing'
import { type EventsRecord, packRecord } from '#core/ingest/record'
import { encodeHot } from '#core/lake/consume/encode-hot'
import { createTakeBack, takeBackSetAside } from '#core/lake/consume/set-aside'
import { eventsRecord } from '#test/support/events-record'
import { createLakePipeline } from '#test/support/lake-pipeline'

/** A record as a version of tomorrow writes it. */
const LATER = packText(JSON.stringify({ kind: 'later', project_id: 'proj_1', received_at: 1 }))

function lines(bytes: Uint8Array | undefined) {
  return Buffer.from(bytes ?? '')
    .toString()
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
}

test('a record of a kind that only a newer version knows is kept under waiting/, and the other records are stored', async () => {
  const pipeline = createLakePipeline()
  pipeline.accept('a')
  const { entries } = pipeline.stream.byName.get('s0') as {
    entries: { sequence: string; data: Uint8Array }[]
  }
  const [entry] = entries as [{ sequence: string; data: Uint8Array }]
  entries.unshift({ ...entry, sequence: '5', data: LATER })
  await pipeline.consumer.consume('s0')
  expect(pipeline.keys('quarantine/')).toEqual([])
  const [key] = pipeline.keys('waiting/') as [string]
  const [line] = lines(pipeline.lake.objects.get(key))
  expect(line).toEqual({
    sequence: '5',
    reason: 'unknown kind later',
    data: Buffer.from(LATER).toString('base64'),
  })
  expect(pipeline.keys('hot/').flatMap(hot => pipeline.lake.rows(hot).map(row => row.id))).toEqual(['a'])
  expect(pipeline.logged).toEqual(['RECORD_WAITING'])
})

function setUp(objects: Record<string, Uint8Array[]>) {
  const { lake, log, logged } = createLakePipeline()
  for (const [key, records] of Object.entries(objects)) {
    const text = records.map(data =>
      JSON.stringify({ sequence: '1', reason: 'unknown kind', data: Buffer.from(data).toString('base64') }),
    )
    lake.objects.set(key, Buffer.from(`${text.join('\n')}\n`))
  }
  const appended: Uint8Array[] = []
  const stream = {
    async append(records: readonly Uint8Array[]) {
      appended.push(...records)
    },
  }
  return { lake, log, logged, stream, appended }
}

test('records that this version can read are appended to the stream again, and the others stay', async () => {
  const readable = packRecord(eventsRecord(['a'], 1))
  const { appended, ...services } = setUp({
    'waiting/s0-1-2.jsonl': [readable],
    'waiting/s0-3-4.jsonl': [LATER, readable],
    'quarantine/s0-5-6.jsonl': [readable, Buffer.from('damaged')],
  })
  expect(await takeBackSetAside(services)).toBe(3)
  expect(appended.map(record => Buffer.from(record))).toEqual([1, 2, 3].map(() => Buffer.from(readable)))
  expect([...services.lake.objects.keys()].toSorted()).toEqual([
    'quarantine/s0-5-6.jsonl',
    'waiting/s0-3-4.jsonl',
  ])
  expect(lines(services.lake.objects.get('waiting/s0-3-4.jsonl'))).toHaveLength(1)
  expect(await takeBackSetAside(services)).toBe(0)
})

test('records stay set aside if the stream does not take them', async () => {
  const services = setUp({ 'waiting/s0-1-2.jsonl': [packRecord(eventsRecord(['a'], 1))] })
  services.stream.append = async () => {
    throw new Error('The disk is full.')
  }
  await expect(takeBackSetAside(services)).rejects.toThrow('The disk is full.')
  expect([...services.lake.objects.keys()]).toEqual(['waiting/s0-1-2.jsonl'])
})

test('a process looks for records that it can replay once an hour', async () => {
  const { appended, ...services } = setUp({})
  let now = 5
  const replay = createTakeBack({ ...services, clock: { now: () => now } })
  const record = packRecord(eventsRecord(['a'], 1))
  const setAside = () => {
    const line = JSON.stringify({ sequence: '1', reason: '', data: Buffer.from(record).toString('base64') })
    services.lake.objects.set('waiting/s0-1-2.jsonl', Buffer.from(`${line}\n`))
  }
  await replay()
  setAside()
  await replay()
  expect(appended).toHaveLength(0)
  now += 3_600_000
  await replay()
  expect(appended).toHaveLength(1)
})

const FIRST = (eventsRecord(['a'], 1) as EventsRecord).events[0]
/** Records that unpack, and that nothing can be made of. */
const UNSTORABLE: Record<string, Record<string, unknown>> = {
  'a timestamp that is no whole number': {
    events: [{ ...FIRST, timestamp: 1.5 }],
  },
  'an event that is no text': { events: [{ ...FIRST, event: { a: 1 } }] },
  'an event that is nothing': { events: [null] },
  'no time of arrival': { received_at: 'soon' },
  'an identify request without a user': {
    ...{ kind: 'identify', previous_id: null, traits: null, email_hash: null, seq: 1 },
    ...{ events: undefined, user_id: { a: 1 } },
  },
}

test.each(Object.entries(UNSTORABLE))(
  'a record that can be read but not stored is quarantined, stays there, and the others are stored: %s',
  async (_, changes) => {
    const pipeline = createLakePipeline({}, { encode: encodeHot })
    const bad = packText(JSON.stringify({ ...eventsRecord(['bad'], 1), ...changes }))
    pipeline.accept('a')
    const { entries } = pipeline.stream.byName.get('s0') as {
      entries: { sequence: string; data: Uint8Array }[]
    }
    const [entry] = entries as [{ sequence: string; data: Uint8Array }]
    entries.unshift({ ...entry, sequence: '5', data: bad })
    await pipeline.consumer.consume('s0')
    const [key] = pipeline.keys('quarantine/') as [string]
    expect(lines(pipeline.lake.objects.get(key)).map(({ data }) => data)).toEqual([
      Buffer.from(bad).toString('base64'),
    ])
    const [hot] = pipeline.keys('hot/') as [string]
    const rows = await parquetReadObjects({
      file: new Uint8Array(pipeline.lake.objects.get(hot) as Uint8Array).buffer,
      columns: ['event'],
    })
    expect(rows).toHaveLength(1)
    const appended: unknown[] = []
    const stream = { append: async (records: readonly Uint8Array[]) => void appended.push(...records) }
    expect(await takeBackSetAside({ ...pipeline, stream })).toBe(0)
    expect([appended, pipeline.keys('quarantine/')]).toEqual([[], [key]])
  },
)
