import { expect, test } from 'vitest'
import {
  hotKey,
  identityKey,
  isOwnKey,
  linksKey,
  quarantineKey,
  removalKey,
  SEGMENT_TABLES,
  segmentKey,
  tombstoneKey,
  waitingKey,
} from '#core/lake/model/keys'
import { ownObjects } from '#core/lake/model/own-objects'
import { createSimulatedLake } from '#test/simulation/simulated-ports'

const CLAIM = { epoch: 3, first: '12', last: '49590338271490256608559692538361571095921575989136588898' }
const SHARDS = ['local', 'shardId-000000000012']

const OWN = [
  ...SHARDS.flatMap(shard => [
    hotKey(shard, CLAIM),
    quarantineKey(shard, CLAIM),
    identityKey(shard, CLAIM),
    waitingKey(shard, CLAIM),
  ]),
  ...SEGMENT_TABLES.map(table => segmentKey(table, 63, { from: 0, until: 19, generation: 2 }, 1)),
  tombstoneKey(63, { number: 12, writer: '1795000000012-0123abcd' }),
  linksKey(7, { number: 12, writer: '0a1b' }),
  removalKey('era_0123456789abcdef'),
  'warm/epoch=3/bucket=1/events.parquet',
  'activity/date=2026-11-12/bucket=36/1-2.parquet',
  'aws/lambda/0a-1b/shardId-000000000001/2026/11/23/lambda__0a_2026-11-23T01.02.03Z',
]

/** What copy tools and file managers leave beside a file. */
const DISGUISES: ((name: string) => string)[] = [
  name => `.${name}.tmp`,
  name => `.${name}.Xy12Ab`,
  name => `._${name}`,
  name => `${name}.tmp`,
  name => `${name}~`,
  name => `Copy of ${name}`,
  name => name.replace(/\.(\w+)$/, ' (1).$1'),
  name => name.replace(/\.(\w+)$/, ' copy.$1'),
  name => `backup/.${name}`,
  () => '.DS_Store',
  () => 'Thumbs.db',
  () => 'desktop.ini',
]

test.each(OWN)('%s is a name of ours', key => {
  expect(isOwnKey(key)).toBe(true)
})

test.each(OWN.slice(0, 15))('what copy tools make of %s is none', key => {
  const slash = key.lastIndexOf('/') + 1
  const made = DISGUISES.map(disguise => key.slice(0, slash) + disguise(key.slice(slash)))
  expect(made.filter(isOwnKey)).toEqual([])
})

test('a listing leaves other objects out, and the log names each once', async () => {
  const stored = createSimulatedLake()
  const logged: unknown[] = []
  const lake = ownObjects(stored, (code, fields) => void logged.push([code, fields]))
  const own = hotKey('local', CLAIM)
  const foreign = `${own.replace('local', '.local')}.tmp`
  for (const key of [own, foreign]) await stored.put(key, new Uint8Array(1))
  for (let i = 0; i < 3; i++) expect((await lake.list('hot/')).map(({ key }) => key)).toEqual([own])
  expect(logged).toEqual([['LAKE_OBJECT_FOREIGN', { key: foreign }]])
  expect(await lake.get(foreign)).toHaveLength(1)
})

test('of a folder full of other objects the log names a thousand', async () => {
  const objects = Array.from({ length: 2_500 }, (_, i) => ({ key: `hot/epoch=1/copy ${i}`, size: 1 }))
  let lines = 0
  const lake = ownObjects({ ...createSimulatedLake(), list: async () => objects }, () => {
    lines++
  })
  for (let i = 0; i < 2; i++) expect(await lake.list('hot/')).toEqual([])
  expect(lines).toBe(1_000)
})
