import * as z from 'zod'
import type { Route } from './route.ts'
import { documentedRoutes } from './routes.ts'

/** What examples need that their rows do not say. The demo project has this experiment. */
const EXAMPLES: Record<string, string> = {
  'GET /live': 'GET /live?project=demo',
  'GET /stream': 'GET /stream?project=demo',
  'GET /pages': 'GET /pages?project=demo&compact=true',
  'GET /heatmap': 'GET /heatmap?project=demo&fields=peak',
  'GET /experiments/{id}': 'GET /experiments/exp_demo_signup_cta',
  'GET /projects/{id}': 'GET /projects/demo',
  'GET /projects/{id}/usage': 'GET /projects/demo/usage',
  'GET /journey': 'GET /journey?project=demo&user_id=anon_zq8vcka2q59ejlug&order=asc',
  'GET /openapi.json': 'GET /openapi.json?path=/stats,/query',
}

/** The same where no project has the experiment and the person of the demo. */
const WITHOUT_DEMO: Record<string, string> = {
  ...EXAMPLES,
  'GET /experiments/{id}': 'GET /experiments/exp_…',
  'GET /journey': 'GET /journey?project=demo&user_id=…&order=asc',
}

/**
 * One line for each endpoint of the API, by tag: an example that works in the project `demo`, and what it
 * does. A row that does the same as another one ("As GET /events") has the example of that one. For readers
 * that have only the address of the service. On an install without a demo they name no endpoint and no id of
 * it.
 */
export function endpointLines(mayHaveDemo = true): { tag: string; lines: string[] }[] {
  const examples = mayHaveDemo ? EXAMPLES : WITHOUT_DEMO
  const rows = documentedRoutes(mayHaveDemo).map(([, route]) => route)
  return [...Map.groupBy(rows, ({ tag }) => tag)].map(([tag, group]) => ({
    tag,
    lines: group.map(route => `- ${exampleOf(route, examples)} : ${route.summary.split('. ')[0]}`),
  }))
}

/** What the documents say of the names in their examples. */
export function aboutExamples(mayHaveDemo: boolean): string {
  return mayHaveDemo
    ? 'Examples for the project `demo`.'
    : 'Examples: put the name of your project in place of `demo`.'
}

function exampleOf(route: Route, examples: Record<string, string>): string {
  const name = `${route.method} ${route.path}`
  const query = new URLSearchParams(requiredQuery(route)).toString()
  const isAlias = route.summary.startsWith('As ')
  const body = isAlias || route.example === undefined ? '' : ` ${JSON.stringify(route.example)}`
  return examples[name] ?? `${name}${query && `?${query}`}${body}`
}

/** The parameters without which a request is refused, with their examples. */
function requiredQuery({ query, project }: Route): Record<string, string> {
  const shape = query instanceof z.ZodObject ? query.shape : {}
  const required = Object.entries<z.ZodType>(shape).filter(
    ([name, field]) =>
      (name === 'project' && project !== 'query_or_first') || !field.safeParse(undefined).success,
  )
  return Object.fromEntries(required.map(([name, field]) => [name, String(field.meta()?.example ?? '')]))
}
