import type { Answer } from '#lambdas/mcp/answer'
import type { ToolContext } from '#lambdas/mcp/tool'

/** The arguments of the tool `query`. Each report takes those that it knows. */
export type QueryArgs = {
  project?: string | undefined
  metrics?: string[] | undefined
  group_by?: string[] | undefined
  filters?: { field: string; op: string; value: unknown }[] | undefined
  count_mode?: string | undefined
  since?: string | undefined
  until?: string | undefined
  where?: Record<string, unknown> | undefined
  tz?: string | undefined
  compare?: boolean | string | undefined
  interval?: string | undefined
  order_by?: string | undefined
  order?: string | undefined
  limit?: number | undefined
  after?: string | undefined
  experiment?: string | undefined
  category?: string | undefined
  has_replay?: boolean | undefined
}

/** Which row answers, and how its answer is told. */
export type QueryReport = (args: QueryArgs, context: ToolContext) => Promise<Answer>

/** What `compare` asks for; `true` is the range before. */
export function comparisonOf({ compare }: QueryArgs): string | undefined {
  if (compare === undefined || compare === false) return undefined
  return compare === true ? 'previous' : compare
}

/** The fields that every dated report has. */
export const dated = ({ project, since, until, tz, where }: QueryArgs) => ({
  ...{ project, since, until, tz, receipt: true },
  where: where === undefined ? undefined : JSON.stringify(where),
})
