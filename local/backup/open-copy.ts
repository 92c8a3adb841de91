import { type CopiedFile, type CopyList, findCopy, readList } from './copy-list.ts'
import { s3Address } from './s3-address.ts'
import type { Sealing } from './sealing.ts'

/** A copy that is read: in a folder, or in an S3 bucket. */
export type OpenedCopy = {
  /** Where it is. */
  copy: string
  /** A folder that has each file after `fetch`, if the copy has it. */
  folder: string
  list: CopyList
  fetch(file: CopiedFile): Promise<void>
  /** The file is no longer needed in `folder`. */
  release(file: CopiedFile): Promise<void>
  close(): void
}

/**
 * Opens a copy, or the newest one of a folder or an address. `work`: a folder for what is on its way. Throws
 * FolderError when there is none, and as readList does.
 */
export async function openCopy(from: string, sealing: Sealing, work: string): Promise<OpenedCopy> {
  const address = s3Address(from)
  if (address === null) {
    const { copy } = findCopy(from)
    const list = await readList(copy, sealing, work)
    return { copy, folder: copy, list, fetch: nothing, release: nothing, close() {} }
  }
  const [{ openBucket }, { openS3Copy }] = await Promise.all([
    import('./s3-bucket.ts'),
    import('./s3-copies.ts'),
  ])
  const bucket = openBucket(address)
  try {
    const opened = await openS3Copy(bucket, { named: address.copy, sealing, work })
    return { ...opened, close: bucket.close }
  } catch (error) {
    bucket.close()
    throw error
  }
}

async function nothing(): Promise<void> {}
