import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ClientOverrides, createS3Client } from '#aws/clients'
import { createPresigner } from '#aws/presigned-address'
import { EXPORT_LIMITS } from '#schemas/exports'

/** Addresses under which a file of an export can be downloaded from S3. */

const EXAMPLE = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
}
const clock = { now: () => Date.UTC(2026, 10, 30) }
const KEY = 'exports/acc_1/exp_2/run-events-0001.parquet'

async function addressOf(overrides: ClientOverrides) {
  const client = createS3Client({ credentials: EXAMPLE, ...overrides })
  const { url, expiresAt } = await createPresigner({ client, bucket: 'lake', clock })(
    KEY,
    'events-0001.parquet',
  )
  return { url: new URL(url), expiresAt }
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/**
 * The signature that S3 computes for a GET of an address, to compare it with that of the address (Amazon S3
 * User Guide, "Authenticating Requests: Using Query Parameters").
 */
function expectedSignature(url: URL): string {
  const query = url.search
    .slice(1)
    .split('&')
    .filter(pair => !pair.startsWith('X-Amz-Signature='))
    .toSorted()
    .join('&')
  const canonical = ['GET', url.pathname, query, `host:${url.host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join(
    '\n',
  )
  const scope = String(url.searchParams.get('X-Amz-Credential')).split('/').slice(1)
  const hash = createHash('sha256').update(canonical).digest('hex')
  const time = String(url.searchParams.get('X-Amz-Date'))
  const text = ['AWS4-HMAC-SHA256', time, scope.join('/'), hash].join('\n')
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${EXAMPLE.secretAccessKey}`)
  return hmac(key, text).toString('hex')
}

const signatureOf = (url: URL) => url.searchParams.get('X-Amz-Signature')

test('what the tests expect as signature is that of the example in the documentation of S3', () => {
  const url = new URL(
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
  expect(expectedSignature(url)).toBe(signatureOf(url))
})

test('an address names the bucket, works for 15 minutes, and has the token of the role', async () => {
  const credentials = { ...EXAMPLE, sessionToken: 'of/the=role' }
  const { url, expiresAt } = await addressOf({ region: 'eu-central-1', credentials })
  expect([url.origin, url.pathname]).toEqual(['https://lake.s3.eu-central-1.amazonaws.com', `/${KEY}`])
  expect(Object.fromEntries(url.searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20261130/eu-central-1/s3/aws4_request',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Date': '20261130T000000Z',
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'of/the=role',
    // No further header is signed, so curl and browsers need none.
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': expectedSignature(url),
    // S3 then sends the checksum of the object in a header, which other clients do not read.
    'x-amz-checksum-mode': 'ENABLED',
    // The SDK names the operation in each address; S3 does not read it.
    'x-id': 'GetObject',
    'response-content-disposition': 'attachment; filename="events-0001.parquet"',
  })
  expect(expiresAt).toBe(clock.now() + 900_000)
})

test('the addresses of 1,000 files fit in a response of a function, also with a long token', async () => {
  const credentials = { ...EXAMPLE, sessionToken: 'a+/='.repeat(400) }
  const { url } = await addressOf({ region: 'eu-central-1', credentials })
  // The other fields of a file have 300 bytes.
  expect((url.href.length + 300) * EXPORT_LIMITS.files).toBeLessThan(6_000_000)
})

test('at another endpoint the bucket stands in the path, and the port is signed', async () => {
  const { url } = await addressOf({ region: 'us-east-1', endpoint: 'http://127.0.0.1:4566' })
  expect([url.origin, url.pathname]).toEqual(['http://127.0.0.1:4566', `/lake/${KEY}`])
  expect(signatureOf(url)).toBe(expectedSignature(url))
  expect(url.searchParams.has('X-Amz-Security-Token')).toBe(false)
})
