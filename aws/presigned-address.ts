import { createHash, createHmac } from 'node:crypto'
import type { S3Client } from '@aws-sdk/client-s3'
import type { FileAddress } from '#core/exports/exports'
import type { Now } from '#core/ports'

/** How long an address works, seconds. */
const SECONDS = 900
const ALGORITHM = 'AWS4-HMAC-SHA256'

/** What an address is signed with. */
export type Signing = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  region: string
}

/**
 * Makes addresses under which anybody can download an object for SECONDS, with the rights of this function
 * (Signature Version 4 in the query string). So files go from S3 to the caller, and not through a function,
 * whose responses have at most 6 MB.
 */
export function createPresigner({ client, bucket, clock }: { client: S3Client; bucket: string; clock: Now }) {
  return async function addressOf(key: string, name: string): Promise<FileAddress> {
    const { region, credentials, endpoint, forcePathStyle } = client.config
    const signing = { ...(await credentials()), region: await region() }
    const elsewhere = await endpoint?.()
    const host =
      elsewhere === undefined
        ? `${bucket}.s3.${signing.region}.amazonaws.com`
        : `${elsewhere.hostname}${elsewhere.port === undefined ? '' : `:${elsewhere.port}`}`
    const origin = `${elsewhere?.protocol ?? 'https:'}//${host}`
    const path = forcePathStyle ? `/${bucket}/${key}` : `/${key}`
    const now = clock.now()
    const url = presign({ url: new URL(origin + path), name, signing, now, seconds: SECONDS })
    return { url, expiresAt: now + SECONDS * 1_000 }
  }
}

export type PresignRequest = {
  url: URL
  /** The name under which a browser saves the object; absent: S3 names it. */
  name?: string | undefined
  signing: Signing
  /** Unix ms. */
  now: number
  seconds: number
}

/** Signs a GET of an address. */
export function presign({ url, name, signing, now, seconds }: PresignRequest): string {
  const { accessKeyId, secretAccessKey, sessionToken, region } = signing
  const time = `${new Date(now).toISOString().replaceAll(/[-:]/g, '').slice(0, 15)}Z`
  const day = time.slice(0, 8)
  const scope = `${day}/${region}/s3/aws4_request`
  const parameters = Object.entries({
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${accessKeyId}/${scope}`,
    'X-Amz-Date': time,
    'X-Amz-Expires': String(seconds),
    ...(sessionToken !== undefined && { 'X-Amz-Security-Token': sessionToken }),
    'X-Amz-SignedHeaders': 'host',
    ...(name !== undefined && { 'response-content-disposition': `attachment; filename="${name}"` }),
  })
  const query = parameters.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&')
  const path = url.pathname.split('/').map(encode).join('/')
  const request = ['GET', path, query, `host:${url.host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n')
  const text = [ALGORITHM, time, scope, createHash('sha256').update(request).digest('hex')].join('\n')
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  )
  return `${url.origin}${path}?${query}&X-Amz-Signature=${hmac(key, text).toString('hex')}`
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Percent-encodes all but the unreserved characters of RFC 3986, as the signature wants it. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
