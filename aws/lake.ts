import {
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { Lake, LakeObject } from '#core/ports'
import { mapped } from './fault.ts'

/** Seconds after which a caller may try again, when S3 has told us to slow down or failed. */
const RETRY_AFTER = 5
/** What one call deletes. */
const DELETED_AT_ONCE = 1_000

/** The Lake port on a bucket of S3, which holds a whole object or none by itself, and is read as it was written. */
export function createS3Lake({ client, bucket }: { client: S3Client; bucket: string }): Lake {
  const Bucket = bucket

  async function put(key: string, bytes: Uint8Array): Promise<void> {
    await answered(client.send(new PutObjectCommand({ Bucket, Key: key, Body: bytes })))
  }

  async function get(key: string): Promise<Uint8Array | null> {
    try {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: key }))
      return Body === undefined ? new Uint8Array() : await Body.transformToByteArray()
    } catch (error) {
      if (error instanceof NoSuchKey) return null
      throw fault(error)
    }
  }

  async function list(prefix: string): Promise<LakeObject[]> {
    const found: LakeObject[] = []
    for (let next: string | undefined; ; ) {
      const page = await answered(
        client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, ContinuationToken: next })),
      )
      for (const { Key = '', Size = 0 } of page.Contents ?? []) found.push({ key: Key, size: Size })
      if (page.NextContinuationToken === undefined) return found
      next = page.NextContinuationToken
    }
  }

  async function remove(keys: readonly string[]): Promise<void> {
    for (let first = 0; first < keys.length; first += DELETED_AT_ONCE) {
      const Objects = keys.slice(first, first + DELETED_AT_ONCE).map(Key => ({ Key }))
      const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } })
      // The call succeeds where single keys have failed.
      const { Errors = [] } = await answered(client.send(command))
      if (Errors[0] !== undefined) throw fault(keyError(Errors[0], Errors.length))
    }
  }

  return { put, get, list, delete: remove }
}

async function answered<T>(request: Promise<T>): Promise<T> {
  try {
    return await request
  } catch (error) {
    throw fault(error)
  }
}

function fault(error: unknown): unknown {
  return mapped(error, 'The lake cannot be read or written now.', RETRY_AFTER)
}

function keyError({ Key, Code, Message }: { Key?: string; Code?: string; Message?: string }, keys: number) {
  const error = new Error(`${keys} keys could not be deleted, ${Key} among them: ${Code} ${Message ?? ''}`)
  error.name = Code ?? 'UnknownError'
  // What a whole request would say by its status.
  return Code === 'InternalError' || Code === 'ServiceUnavailable'
    ? Object.assign(error, { $fault: 'server' as const })
    : error
}
