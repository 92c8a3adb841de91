/**
 * The lift that an experiment must be able to show where its creation names none: 0.2 is 20 %
 * (docs/decisions/2026-11-29-experiments.md). A file of its own, because the dashboard shows it and loads no
 * zod.
 */
export const DEFAULT_SMALLEST_EFFECT = 0.2
