import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import { type Lake, type LakeObject, type LakePage, LIST_PAGE } from '#core/ports'
import { toApiError } from '#core/state/transient'

/** Seconds after which a caller may try again. */
const RETRY_AFTER = 5
/** The number of keys that one call may delete. */
const MAX_KEYS = 1_000

/** The Lake port on an S3 bucket. S3 itself promises that a key holds a whole object or none. */
export function createS3Lake({ client, bucket }: { client: S3Client; bucket: string }): Lake {
  const Bucket = bucket

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    await orUnavailable(client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes })))
  }

  async function get(key: string, last?: number): Promise<Uint8Array | null> {
    try {
      const Range = last === undefined ? undefined : `bytes=-${last}`
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key, Range }))
      return Body === undefined ? new Uint8Array() : await Body.transformToByteArray()
    } catch (error) {
      if (error instanceof NoSuchKey) return null
      // It has fewer bytes, or none.
      if (error instanceof S3ServiceException && error.name === 'InvalidRange') return get(key)
      throw toLakeError(error)
    }
  }

  async function list(prefix: string): Promise<LakeObject[]> {
    const objects: LakeObject[] = []
    for (let next: string | undefined; ; ) {
      const page = await orUnavailable(
        client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: next })),
      )
      objects.push(...toObjects(page))
      if (page.NextContinuationToken === undefined) return objects
      next = page.NextContinuationToken
    }
  }

  async function listPage(prefix: string, after: string | null): Promise<LakePage> {
    const page = await orUnavailable(
      client.send(
        new ListObjectsV2Command({
          Bucket,
          Prefix: prefix,
          MaxKeys: LIST_PAGE,
          ...(after !== null && { StartAfter: after }),
        }),
      ),
    )
    const objects = toObjects(page)
    return { objects, next: page.IsTruncated ? (objects.at(-1)?.key ?? null) : null }
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += MAX_KEYS) {
      const Objects = keys.slice(first, first + MAX_KEYS).map(Key => ({ Key }))
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
      // The response is a success even when single keys failed.
      const { Errors = [] } = await orUnavailable(client.send(command))
      if (Errors[0] !== undefined) throw toLakeError(createKeyError(Errors[0], Errors.length))
    }
  }

  return { put, get, list, listPage, delete: remove }
}

function toObjects({ Contents = [] }: ListObjectsV2CommandOutput): LakeObject[] {
  return Contents.map(({ Key = '', Size = 0, LastModified }) => ({
    key: Key,
    size: Size,
    ...(LastModified && { writtenAt: LastModified.getTime() }),
  }))
}

async function orUnavailable<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw toLakeError(error)
  }
}

function toLakeError(error: unknown): unknown {
  return toApiError(
    error,
    'The lake cannot be reached now. Send the same request again in a few seconds.',
    RETRY_AFTER,
  )
}

function createKeyError(
  { Key, Code, Message }: { Key?: string; Code?: string; Message?: string },
  keys: number,
) {
  const error = new Error(`${keys} keys could not be deleted, ${Key} among them: ${Code} ${Message ?? ''}`)
  error.name = Code ?? 'UnknownError'
  // A whole request would tell this by its HTTP status.
  return Code === 'InternalError' || Code === 'ServiceUnavailable'
    ? Object.assign(error, { $fault: 'server' as const })
    : error
}
