import { S3Client } from '@aws-sdk/client-s3'
import { expect, test } from 'vitest'
import { createPresigner, presign } from '#aws/presigned-address'

/** Addresses under which a file of an export can be downloaded from S3. */

const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}

test('an address has the signature of the example in the documentation of S3', () => {
  const url = presign({
    url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
    signing: { ...EXAMPLE, region: 'us-east-1' },
    now: Date.UTC(2013, 4, 24),
    seconds: 86_400,
  })
  expect(url).toBe(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

const clock = { now: () => Date.UTC(2026, 10, 30) }
const KEY = 'exports/acc_1/exp_2/run-events-0001.parquet'

test('an address names the bucket, works for 15 minutes, and has the token of the role', async () => {
  const client = new S3Client({
    region: 'eu-central-1',
    credentials: { ...EXAMPLE, sessionToken: 'of/the=role' },
  })
  const { url, expiresAt } = await createPresigner({ client, bucket: 'lake', clock })(
    KEY,
    'events-0001.parquet',
  )
  const { origin, pathname, searchParams } = new URL(url)
  expect([origin, pathname]).toEqual(['https://lake.s3.eu-central-1.amazonaws.com', `/${KEY}`])
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'of/the=role',
    'response-content-disposition': 'attachment; filename="events-0001.parquet"',
  })
  expect(expiresAt).toBe(clock.now() + 900_000)
})

test('at another endpoint the bucket stands in the path', async () => {
  const client = new S3Client({
    ...{ region: 'us-east-1', credentials: EXAMPLE, endpoint: 'http://127.0.0.1:4566', forcePathStyle: true },
  })
  const { url } = await createPresigner({ client, bucket: 'lake', clock })(KEY, 'events-0001.parquet')
  expect(url.startsWith(`http://127.0.0.1:4566/lake/${KEY}?`)).toBe(true)
})
