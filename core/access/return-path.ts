/** Where a browser goes when nobody says anything else. */
export const DEFAULT_RETURN_PATH = '/settings'

/**
 * A path of ours, or the default: what a link asks for must not lead to another site after the sign-in. The
 * browser reads `//host` and `/\host` as other sites, and drops tabs and line ends before it looks.
 */
export function safeReturnPath(asked: string | undefined): string {
  if (asked === undefined || asked.length > 500) return DEFAULT_RETURN_PATH
  return /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(asked) ? asked : DEFAULT_RETURN_PATH
}
