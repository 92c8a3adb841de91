import { DeleteObjectsCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'

/** S3 takes this many keys in a call. */
const PAGE = 1_000

/**
 * Undoes the deletions of objects under the prefixes that happened after `since`, and returns their number.
 * S3 keeps a deleted object as a version below a marker, so without the marker it is there again. An object
 * that was made after `since` comes back too: an extra file does no harm, a missing one is missing.
 */
export async function undoDeletions(
  s3: S3Client,
  Bucket: string,
  { prefixes, since }: { prefixes: readonly string[]; since: Date },
): Promise<number> {
  let count = 0
  for (const Prefix of prefixes) {
    let next: { KeyMarker?: string | undefined; VersionIdMarker?: string | undefined } | null = {}
    while (next !== null) {
      const page: Awaited<ReturnType<typeof list>> = await list({ Bucket, Prefix, MaxKeys: PAGE, ...next })
      const Objects = (page.DeleteMarkers ?? [])
        .filter(({ LastModified }) => LastModified !== undefined && LastModified > since)
        .map(({ Key, VersionId }) => ({ Key, VersionId }))
      if (Objects.length > 0) {
        const { Errors = [] } = await s3.send(
          new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }),
        )
        if (Errors[0] !== undefined)
          throw new Error(
            `S3 has not undone the deletion of ${Errors[0].Key}: ${Errors[0].Message}. Run the command again.`,
          )
      }
      count += Objects.length
      next = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, VersionIdMarker: page.NextVersionIdMarker }
        : null
    }
  }
  return count

  function list(input: ConstructorParameters<typeof ListObjectVersionsCommand>[0]) {
    return s3.send(new ListObjectVersionsCommand(input))
  }
}
