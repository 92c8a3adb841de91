/**
 * Whether the script has everything (`/tracker.js`), or only what counts visits (`/tracker.core.js`).
 * build.ts sets it to false for the second one, and what then never runs is not in the script.
 */
export const IS_FULL: boolean = true
