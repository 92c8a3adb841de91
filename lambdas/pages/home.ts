import { html } from '#lambdas/http/html'
import type { HttpRequest, HttpResponse } from '#lambdas/http/http'
import { PRIVATE_HEADERS, pageResponse, redirect } from '#lambdas/http/page'
import { BASE_HEADERS } from '#lambdas/http/response'
import { aboutExamples, endpointLines } from '#schemas/endpoint-lines'
import { VISITOR_WORDS } from '#schemas/visitor-words'
import type { BrowserSteps } from './browser.ts'
import { prefersHtml } from './error-page.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import type { PagesServices } from './services.ts'

type HomeServices = Pick<PagesServices, 'baseUrl' | 'mayHaveDemo'>

/** What a reader who knows only the address of the service needs: what this is, and the first three calls. */
export function homePages(services: HomeServices, browser: BrowserSteps) {
  const { baseUrl } = services
  const text = textFor(services)
  const headers = { ...BASE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' }
  const llms: HttpResponse = {
    status: 200,
    headers: { ...headers, 'Cache-Control': 'public, max-age=300' },
    body: text,
  }
  // `/` is a page for browsers and a text for others. A cache that knows the address alone would mix them up.
  const plain: HttpResponse = {
    status: 200,
    headers: { ...headers, 'Cache-Control': 'no-store', Vary: 'Accept, Cookie' },
    body: text,
  }
  const script: HttpResponse = {
    status: 200,
    headers: {
      ...PRIVATE_HEADERS,
      'Content-Type': 'text/javascript; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
    },
    body: PAGE_SCRIPT,
  }

  const homePage = browser.open((_, session) => {
    // Who has signed in comes for the numbers.
    if (session !== null) return redirect('/app')
    return pageResponse({
      title: 'Web analytics for agents',
      headers: { Vary: 'Accept, Cookie' },
      body: html`<section>
<h1>Footfall</h1>
<p>Web analytics that AI agents and scripts query over HTTP. A site sends events with a small script; an agent or a script asks for reports and gets JSON.</p>
<p><a class="button" href="/auth/sign-in">Sign in</a></p>
</section>
<section>
<h2>The first three calls</h2>
${calls(baseUrl).map(
  ({ what, command }) => html`<p>${what}</p>
<pre><code>${command}</code></pre>`,
)}
</section>
<section>
<h2>For agents</h2>
<ul>
<li><a href="/auth.md">/auth.md</a>: how an agent gets a token, with one click of a human</li>
<li><a href="/install.md">/install.md</a>: the tracker, and the tools of <code>/mcp</code> for an assistant</li>
<li><a href="/llms.txt">/llms.txt</a>: this page as text</li>
<li><a href="/openapi.json">/openapi.json</a>: every endpoint, as OpenAPI 3.1</li>
</ul>
</section>`,
    })
  })

  return {
    home: async (request: HttpRequest) => (prefersHtml(request) ? homePage(request) : plain),
    llms: () => llms,
    pagesScript: () => script,
  }
}

function calls(baseUrl: string): { what: string; command: string }[] {
  const bearer = "-H 'Authorization: Bearer aas_…'"
  return [
    {
      what: '1. Ask for access. Show claim_url and user_code to a human, who approves, from another network with the code.',
      command: `curl ${baseUrl}/agent/auth -d '{"type":"user_claimed","requested_credential_type":"access_token","client_name":"my agent"}'`,
    },
    {
      what: '2. Take the token: send claim_token every 5 seconds until the response has access_token.',
      command: `curl ${baseUrl}/agent/auth/claim/complete -d '{"claim_token":"aac_…"}'`,
    },
    {
      what: '3. Ask for numbers.',
      command: `curl ${bearer} '${baseUrl}/stats?project=website&since=7d'`,
    },
  ]
}

const DEMO = 'Try the demo, if there is one: POST /demo/session. '

function textFor({ baseUrl, mayHaveDemo }: HomeServices): string {
  const steps = calls(baseUrl).map(({ what, command }) => `${what}\n\n    ${command}\n`)
  return `# Footfall

> Web analytics over HTTP: a small script sends events, and agents read reports as JSON.

## The first three calls

${steps.join('\n')}
${mayHaveDemo ? DEMO : ''}Tools: /mcp. Set-up: /install.md. How to work: /.well-known/agent-skills/footfall/SKILL.md

${VISITOR_WORDS}

## Every endpoint

${aboutExamples(mayHaveDemo)} All reads take \`compact=true\` (names of columns once), most \`since=7d\` and \`tz\`.
\`/openapi.json?path=/stats,/pages\` has all parameters of some paths.

${endpointLines(mayHaveDemo)
  .map(({ tag, lines }) => `### ${tag}\n\n${lines.join('\n')}\n`)
  .join('\n')}`
}
