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
import { forEachConcurrent } from '#core/concurrency'
import { lakeContract } from '#test/contract/lake'
import { awsError } from '../support/aws-error.ts'
import { EMULATOR_ACCESS, type EmulatedStorage, startStorage } from '../support/emulators.ts'

let storage: EmulatedStorage
beforeAll(async () => {
  storage = await startStorage()
})
afterAll(() => storage.stop())

const open = async () => createS3Lake({ client: storage.s3, bucket: storage.createBucket() })

lakeContract('S3 (fauxqs)', open)

test('more objects than one page lists or one call deletes are listed and deleted', async () => {
  const lake = await open()
  const keys = Array.from({ length: 1_050 }, (_, i) => `hot/epoch=1/${String(i).padStart(4, '0')}`)
  await forEachConcurrent(keys, 32, key => lake.put(key, new Uint8Array(1)))
  expect((await lake.list('hot/')).map(({ key }) => key)).toEqual(keys)
  await lake.delete(keys)
  expect(await lake.list('')).toEqual([])
})

test('deleting nothing is no error', async () => {
  await (await open()).delete([])
})

test('a bucket that is not there is an error, not an empty lake', async () => {
  const lake = createS3Lake({ client: storage.s3, bucket: 'no-such-bucket' })
  await expect(lake.get('a')).rejects.toMatchObject({ name: 'NoSuchBucket' })
  await expect(lake.list('')).rejects.toMatchObject({ name: 'NoSuchBucket' })
})

describe('when S3 is in trouble', () => {
  function setUp() {
    const client = new S3Client({ maxAttempts: 1, ...EMULATOR_ACCESS })
    return { lake: createS3Lake({ client, bucket: 'lake' }), mock: mockClient(client) }
  }

  test.each([
    ['slows us down', awsError('SlowDown', 'server', { $metadata: { httpStatusCode: 503 } })],
    ['fails', awsError('InternalError', 'server', { $metadata: { httpStatusCode: 500 } })],
    ['gives no answer', Object.assign(new Error('timed out'), { name: 'TimeoutError' })],
    ['finds the token expired', awsError('ExpiredToken', 'client', { $metadata: { httpStatusCode: 400 } })],
  ])('every request is UNAVAILABLE with Retry-After when it %s', async (_, error) => {
    const { lake, mock } = setUp()
    mock.onAnyCommand().rejects(error)
    const expected = { code: 'UNAVAILABLE', extras: { retryAfter: 5 } }
    await expect(lake.put('a', new Uint8Array())).rejects.toMatchObject(expected)
    await expect(lake.get('a')).rejects.toMatchObject(expected)
    await expect(lake.list('a')).rejects.toMatchObject(expected)
    await expect(lake.delete(['a'])).rejects.toMatchObject(expected)
  })

  test('a refusal is a defect and stays what it is', async () => {
    const { lake, mock } = setUp()
    mock.on(PutObjectCommand).rejects(awsError('AccessDenied', 'client'))
    mock.on(GetObjectCommand).rejects(awsError('AccessDenied', 'client'))
    await expect(lake.put('a', new Uint8Array())).rejects.toMatchObject({ name: 'AccessDenied' })
    await expect(lake.get('a')).rejects.toMatchObject({ name: 'AccessDenied' })
  })

  test('an error of a single key is an error of the delete', async () => {
    const { lake, mock } = setUp()
    const errors = (Code: string) => ({ Errors: [{ Key: 'b', Code, Message: 'no' }] })
    mock.on(DeleteObjectsCommand).resolvesOnce(errors('AccessDenied')).resolvesOnce(errors('InternalError'))
    await expect(lake.delete(['a', 'b'])).rejects.toThrow('b among them: AccessDenied')
    await expect(lake.delete(['a', 'b'])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('pages of a listing are followed by their token', async () => {
    const { lake, mock } = setUp()
    mock
      .on(ListObjectsV2Command)
      .resolvesOnce({
        Contents: [{ Key: 'a', Size: 1 }],
        NextContinuationToken: 'n',
      })
      .resolvesOnce({ Contents: [{ Key: 'b', Size: 2 }] })
    expect(await lake.list('')).toEqual([
      { key: 'a', size: 1 },
      { key: 'b', size: 2 },
    ])
    expect(mock.commandCalls(ListObjectsV2Command)[1]?.args[0].input.ContinuationToken).toBe('n')
  })
})
