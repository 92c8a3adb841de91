import * as z from 'zod'

/** GET /experiments/config (docs/api/experiments.md). */
export const experimentsConfigQuery = z.object({
  token: z.string().min(1).meta({ description: "The project's public token, aat_…" }),
})

export const experimentsConfig = z
  .object({
    experiments: z.array(
      z.object({
        key: z.string().meta({ description: 'Name of the experiment' }),
        variants: z.array(z.object({ key: z.string(), weight: z.int().min(0).max(100) })),
      }),
    ),
  })
  .meta({ id: 'ExperimentsConfig' })
