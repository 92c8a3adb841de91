import type { IncomingMessage, ServerResponse } from 'node:http'
import { html } from '#lambdas/http/html'
import type { BufferedResponse } from '#lambdas/http/http'
import { pageResponse } from '#lambdas/http/page'

const MAX_FORM_BYTES = 10_000

/** Reads the fields of a form. Rejects for one that is too large. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let text = ''
  for await (const chunk of request) {
    text += chunk
    if (text.length > MAX_FORM_BYTES) throw new Error('the form is too large')
  }
  return new URLSearchParams(text)
}

/** An e-mail address as it is compared; null for what is none. */
export function emailOf(fields: URLSearchParams): string | null {
  const email = (fields.get('email') ?? '').trim().toLowerCase()
  return /^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 254 ? email : null
}

export function sendPage(response: ServerResponse, { status, headers, body }: BufferedResponse): void {
  response.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) })
  response.end(body)
}

export function expiredPage(): BufferedResponse {
  return pageResponse({
    status: 400,
    title: 'This sign-in is over',
    body: html`<section>
<h1>This sign-in is over</h1>
<p>It took too long, or began in another browser.</p>
<p><a class="button" href="/auth/sign-in">Sign in again</a></p>
</section>`,
  })
}
