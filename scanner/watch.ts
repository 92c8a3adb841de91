/**
 * Runs synchronous work on what strangers have written. While it runs, whoever watches the thread knows whose
 * work it is, because the thread itself can do nothing else: a pattern that needs hours stops everything.
 * Work may lie in other work of the same analysis.
 */
export type Watch = <T>(work: () => T) => T

/** Where nobody watches: each analysis has a process or a function of its own. */
export const unwatched: Watch = work => work()
