import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { mockClient } from 'aws-sdk-client-mock'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createS3Lake } from '#aws/lake'
import { forEachConcurrent } from '#core/async/concurrency'
import { lakeContract } from '#test/contract/lake'
import { awsError } from '#test/support/aws-error'
import { EMULATOR_ACCESS, type EmulatedStorage, startStorage } from '#test/support/emulators'

let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.stop())

const open = async () => createS3Lake({ client: storage.s3, bucket: storage.createBucket() })

lakeContract('S3 (fauxqs)', open)

test('list and delete work for more objects than one call takes', async () => {
  const lake = await open()
  const keys = Array.from({ length: 1_050 }, (_, i) => `hot/epoch=1/${String(i).padStart(4, '0')}`)
  await forEachConcurrent(keys, 32, key => lake.put(key, new Uint8Array(1)))
  expect((await lake.list('hot/')).map(({ key }) => key)).toEqual(keys)
  await lake.delete(keys)
  expect(await lake.list('')).toEqual([])
})

test('delete accepts an empty list', async () => {
  await (await open()).delete([])
})

test('a missing S3 bucket is an error, not an empty lake', async () => {
  const lake = createS3Lake({ client: storage.s3, bucket: 'no-such-bucket' })
  await expect(lake.get('a')).rejects.toMatchObject({ name: 'NoSuchBucket' })
  await expect(lake.list('')).rejects.toMatchObject({ name: 'NoSuchBucket' })
})

describe('when S3 fails', () => {
  function setUp() {
    const client = new S3Client({ maxAttempts: 1, ...EMULATOR_ACCESS })
    return { lake: createS3Lake({ client, bucket: 'lake' }), mock: mockClient(client) }
  }

  test.each([
    ['is throttled', awsError('SlowDown', 'server', { $metadata: { httpStatusCode: 503 } })],
    ['meets an error of S3', awsError('InternalError', 'server', { $metadata: { httpStatusCode: 500 } })],
    ['gets no response', Object.assign(new Error('timed out'), { name: 'TimeoutError' })],
    ['has expired credentials', awsError('ExpiredToken', 'client', { $metadata: { httpStatusCode: 400 } })],
  ])('a request that %s is UNAVAILABLE with Retry-After', async (_, error) => {
    const { lake, mock } = setUp()
    mock.onAnyCommand().rejects(error)
    const expected = { code: 'UNAVAILABLE', extras: { retryAfter: 5 } }
    await expect(lake.put('a', new Uint8Array())).rejects.toMatchObject(expected)
    await expect(lake.get('a')).rejects.toMatchObject(expected)
    await expect(lake.list('a')).rejects.toMatchObject(expected)
    await expect(lake.delete(['a'])).rejects.toMatchObject(expected)
  })

  test('a rejected request stays the same error', async () => {
    const { lake, mock } = setUp()
    mock.on(PutObjectCommand).rejects(awsError('AccessDenied', 'client'))
    mock.on(GetObjectCommand).rejects(awsError('AccessDenied', 'client'))
    await expect(lake.put('a', new Uint8Array())).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(lake.get('a')).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  test('delete throws when S3 could not delete one of the keys', async () => {
    const { lake, mock } = setUp()
    const errors = (Code: string) => ({ Errors: [{ Key: 'b', Code, Message: 'no' }] })
    mock.on(DeleteObjectsCommand).resolvesOnce(errors('AccessDenied')).resolvesOnce(errors('InternalError'))
    await expect(lake.delete(['a', 'b'])).rejects.toThrow('b among them: AccessDenied')
    await expect(lake.delete(['a', 'b'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('list reads all pages', async () => {
    const { lake, mock } = setUp()
    mock
      .on(ListObjectsV2Command)
      .resolvesOnce({
        Contents: [{ Key: 'a', Size: 1, LastModified: new Date(5_000) }],
        NextContinuationToken: 'n',
      })
      .resolvesOnce({ Contents: [{ Key: 'b', Size: 2 }] })
    expect(await lake.list('')).toEqual([
      { key: 'a', size: 1, writtenAt: 5_000 },
      { key: 'b', size: 2 },
    ])
    expect(mock.commandCalls(ListObjectsV2Command)[1]?.args[0].input.ContinuationToken).toBe('n')
  })
})
