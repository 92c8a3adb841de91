/**
 * Returns the time of the page, ms, never 0. Unlike `Date.now()` it does not jump when the clock of the
 * device is set. It only measures: what it is o'clock, the service knows.
 */
export const pageTime = () => performance.now() + 1
