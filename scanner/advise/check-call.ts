import type * as z from 'zod'
import { parseVariants } from '#core/experiments/variants'
import { parseSteps } from '#core/reports/funnel/steps'
import { routes } from '#schemas/routes'
import type { ExampleCall } from '#schemas/website-scans'

/**
 * Checks a call against the row of its route, as the service does when it arrives. Returns what is wrong, or
 * null. No example of ours leaves the service without it.
 */
export function problemOfCall({ method, path, body }: Omit<ExampleCall, 'question'>): string | null {
  const url = URL.parse(path, 'http://service')
  const row = Object.values(routes).find(route => route.method === method && route.path === url?.pathname)
  if (row === undefined || url === null) return `No route is ${method} ${path}.`
  const { query, body: bodyModel } = row as { query?: z.ZodType; body?: z.ZodType }
  const problems = [
    query?.safeParse(Object.fromEntries(url.searchParams)),
    bodyModel?.safeParse(body),
  ].flatMap(result =>
    result === undefined || result.success ? [] : [result.error.issues[0]?.message ?? 'not valid'],
  )
  if (problems[0] !== undefined) return problems[0]
  try {
    if (path === '/funnel') parseSteps((body?.steps ?? []) as unknown[])
    if (path === '/experiments') parseVariants(body?.variants, body?.weights)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : 'not valid'
  }
}
