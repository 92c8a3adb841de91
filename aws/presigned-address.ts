import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { FileAddress } from '#core/exports/exports'
import type { Now } from '#core/ports'

/** How long an address works, seconds. */
const SECONDS = 900

export type PresignerOptions = {
  /** It sends nothing: its credentials, region and endpoint make the address. */
  client: S3Client
  bucket: string
  clock: Now
}

/**
 * Makes addresses under which anybody can download an object for SECONDS, with the rights of this function
 * (Signature Version 4 in the query string). So files go from S3 to the caller, and not through a function,
 * whose responses have at most 6 MB.
 */
export function createPresigner({ client, bucket, clock }: PresignerOptions) {
  return async function addressOf(key: string, name: string): Promise<FileAddress> {
    const now = clock.now()
    const get = new GetObjectCommand({
      ...{ Bucket: bucket, Key: key },
      ResponseContentDisposition: `attachment; filename="${name}"`,
    })
    const url = await getSignedUrl(client, get, { expiresIn: SECONDS, signingDate: new Date(now) })
    return { url, expiresAt: now + SECONDS * 1_000 }
  }
}
