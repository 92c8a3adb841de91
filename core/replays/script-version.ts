/** Characters of the SHA-256 that name a version of a script. */
const VERSION_CHARS = 16

/** The form of a version's name. */
export const VERSION_NAME = new RegExp(`^[0-9a-f]{${VERSION_CHARS}}\\.js$`)

/**
 * The name of a version of a script in its address, such as `0123456789abcdef.js`. `sha256`: of the UTF-8
 * bytes of the script, in hex.
 */
export function versionName({ sha256 }: { sha256: string }): string {
  return `${sha256.slice(0, VERSION_CHARS)}.js`
}
