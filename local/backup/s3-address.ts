import { FolderError } from '#local/lock'
import { COPY_NAME } from './copy-list.ts'

/** Copies in an S3 bucket: `s3://bucket/prefix`, on AWS or at another service with the same requests. */
export type S3Address = {
  bucket: string
  /** Empty, or with `/` at its end. */
  prefix: string
  /** The copy that the address names by `copies/<time>`, or null. */
  copy: string | null
}

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/

/** The address of a bucket; null for a folder. Throws FolderError for an address that S3 does not take. */
export function s3Address(place: string): S3Address | null {
  if (!place.startsWith('s3:')) return null
  const [, bucket, rest = ''] = ADDRESS.exec(place) ?? []
  if (bucket === undefined) throw new FolderError(`${place} is no address. Write s3://bucket/prefix.`, null)
  const names = rest.split('/').filter(name => name !== '')
  const [above, name = ''] = names.slice(-2)
  const copy = above === 'copies' && COPY_NAME.test(name) ? name : null
  const below = copy === null ? names : names.slice(0, -2)
  return { bucket, prefix: below.map(each => `${each}/`).join(''), copy }
}
