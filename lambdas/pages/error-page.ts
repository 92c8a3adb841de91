import type { Log } from '#core/ports'
import { html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { pageResponse } from '#lambdas/http/page'
import { errorResponse } from '#lambdas/http/response'

const TITLES: Record<number, string> = {
  400: 'This did not work',
  401: 'Please sign in',
  403: 'This is not allowed',
  404: 'There is nothing here',
  410: 'This is over',
  429: 'Too many requests',
  503: 'Not available at the moment',
}

/** Headers of the JSON form that the page has too (R6, R20). */
const KEPT = [
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
]

/** Whether the caller is a browser that shows a page: others get errors as JSON. */
export function prefersHtml({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

/** The page of a thrown error: the same status, code and log line as the JSON form. */
export function errorPage(thrown: unknown, route: string, log: Log): HttpResponse {
  const { status, headers, body } = errorResponse(thrown, route, log)
  const { error: code, message } = JSON.parse(String(body))
  const text = status === 500 ? 'Something failed on our side. Try again later.' : message
  const title = TITLES[status] ?? 'Something went wrong'
  return pageResponse({
    status,
    title,
    headers: Object.fromEntries(KEPT.flatMap(name => (name in headers ? [[name, headers[name] ?? '']] : []))),
    body: html`<section>
<h1>${title}</h1>
<p>${text}</p>
${status === 401 && html`<p><a class="button" href="/auth/sign-in">Sign in</a></p>`}
<p class="quiet">Code: ${code}</p>
</section>`,
  })
}
