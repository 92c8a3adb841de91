/** The prefix of the manifests of the lake (core/lake/model/manifest-objects.ts). */
export const MANIFEST_PREFIX = 'manifests/'

/** Below it: what names the links files of a bucket (core/identity/links/level-store.ts). */
export const LINKS_MANIFEST_PREFIX = `${MANIFEST_PREFIX}links/`

/**
 * The most bytes that the object of a manifest should have: 1,000 segments, retired ones of a day with an
 * epoch a minute, 400 batches of tombstones and 2,000 pages (a million segments, 12 to 24 TB of one bucket)
 * take less than half of it. A larger one works, only slower: 1 MB is written and read in tens of ms.
 */
export const MANIFEST_BYTES = 1024 * 1024
