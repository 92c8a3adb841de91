import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { FolderError } from '#local/lock'
import type { S3Address } from './s3-address.ts'

export type StoredObject = { key: string; writtenAt: number }

/** S3 takes so many bytes in one request. */
const MAX_PUT_BYTES = 5 * 1_024 ** 3
/** How long a service may be silent before the request is sent anew, ms. */
const SILENCE_MS = 60_000
/** Keys of one request to delete. */
const MAX_KEYS = 1_000
const TRIES = 4
const PAUSE_MS = 1_000

/**
 * The objects below an address. Credentials and region come by the standard chain of AWS, and another service
 * by AWS_ENDPOINT_URL_S3, whose bucket then stands in the path. Files are streamed, so a failed request is
 * sent anew with a new stream. Throws FolderError when the operator can fix the problem.
 */
export function openBucket({ bucket, prefix }: S3Address) {
  const { AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS_REGION } = process.env
  const isElsewhere = (AWS_ENDPOINT_URL_S3 ?? AWS_ENDPOINT_URL) !== undefined
  const client = new S3Client({
    forcePathStyle: isElsewhere,
    // Another service has no regions, but the SDK signs with one.
    ...(isElsewhere && AWS_REGION === undefined && { region: 'us-east-1' }),
    // Some services refuse the checksum behind a stream. The list of a copy has a SHA-256 of each file.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
    // A service that takes a connection and never answers would keep the lock of the backups.
    requestHandler: { connectionTimeout: SILENCE_MS, socketTimeout: SILENCE_MS },
  })
  const Bucket = bucket
  const name = `s3://${bucket}/${prefix}`

  async function send<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await request()
      } catch (error) {
        if (tries === TRIES || !isTransient(error)) throw asFolderError(error, name)
        await sleep(PAUSE_MS * tries)
      }
    }
  }

  /** Stores a file. */
  async function put(key: string, file: string): Promise<void> {
    const { size } = await stat(file)
    if (size > MAX_PUT_BYTES)
      throw new FolderError(
        `${file} has more than 5 GB, which S3 does not take at once. Back up to a folder.`,
        null,
      )
    await send(() =>
      client.send(
        new PutObjectCommand({
          Bucket,
          Key: prefix + key,
          ContentLength: size,
          Body: size === 0 ? '' : createReadStream(file),
        }),
      ),
    )
  }

  /** Writes an object into a file. Returns false if there is none. */
  async function get(key: string, file: string): Promise<boolean> {
    return send(async () => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: prefix + key }))
        await pipeline((Body ?? []) as Readable, createWriteStream(file, { mode: 0o600 }))
        return true
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return false
        throw error
      }
    })
  }

  /** The objects below a prefix, in the order of their keys. `writtenAt`: Unix ms. */
  async function list(below: string): Promise<StoredObject[]> {
    const objects: StoredObject[] = []
    for (let next: string | undefined; ; ) {
      const page = await send(() =>
        client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix + below, ContinuationToken: next })),
      )
      for (const { Key = '', LastModified } of page.Contents ?? [])
        objects.push({ key: Key.slice(prefix.length), writtenAt: LastModified?.getTime() ?? Date.now() })
      if (page.NextContinuationToken === undefined) return objects
      next = page.NextContinuationToken
    }
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += MAX_KEYS) {
      const Objects = keys.slice(first, first + MAX_KEYS).map(key => ({ Key: prefix + key }))
      const { Errors: [failed] = [] } = await send(() =>
        client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })),
      )
      if (failed !== undefined) throw asFolderError(failed, name)
    }
  }

  return { name, put, get, list, remove, close: () => client.destroy() }
}

export type S3Bucket = ReturnType<typeof openBucket>

/** A request that may succeed when it is sent again. */
function isTransient(error: unknown): boolean {
  if (error instanceof FolderError) return false
  const { $metadata, code, name } = error as Error & {
    $metadata?: { httpStatusCode?: number }
    code?: string
  }
  const status = $metadata?.httpStatusCode
  if (status !== undefined) return status >= 500 || status === 429
  return code !== 'ENOENT' && code !== 'ENOSPC' && name !== 'CredentialsProviderError'
}

function asFolderError(error: unknown, name: string): unknown {
  if (error instanceof FolderError) return error
  const {
    name: kind,
    Code,
    message,
    Message,
    code,
  } = error as Partial<Record<'name' | 'Code' | 'message' | 'Message' | 'code', string>>
  if (code === 'ENOENT' || code === 'ENOSPC') return error
  return new FolderError(
    `${name} cannot be used (${Code ?? kind}: ${message ?? Message ?? ''}). Check the name of the bucket, the credentials and the region that AWS's own tools would take here, and AWS_ENDPOINT_URL_S3 for another service.`,
    error,
  )
}
