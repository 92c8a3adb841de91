import { bucketOf } from '#core/state/bucket-of'

/** Returns an id that lies in the bucket; `name` tells ids of one bucket apart. */
export function projectIdOf(bucket: number, name = 'p'): string {
  for (let i = 0; ; i++) if (bucketOf(`${name}${i}`) === bucket) return `${name}${i}`
}
