import type { IncomingMessage, ServerResponse } from 'node:http'
import { type IdentityProvider, SignInError } from '#core/access/provider'
import type { Log, Now } from '#core/ports'
import { html } from '#lambdas/http/html'
import type { BufferedResponse } from '#lambdas/http/http'
import { pageResponse } from '#lambdas/http/page'
import { createEmailCodes } from './email-codes.ts'
import { emailOf, expiredPage, readForm, sendPage } from './forms.ts'
import type { SendMail } from './mailer.ts'

export type EmailProviderOptions = {
  /** Address of the service. */
  baseUrl: string
  send: SendMail
  /** Whether an address has an account here, or may get one. Nobody else gets an e-mail. */
  mayGetCode(email: string): Promise<boolean>
  clock: Now
  log: Log
}

export type EmailProvider = IdentityProvider & {
  /** Answers requests of its page; false for all others. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

const PATH = '/identity/email'
/** The form of `state`: the random text that the service makes for each sign-in and keeps in a cookie. */
const STATE = /^[\w-]{43}$/

/**
 * Sign-in by a code that the service sends to an e-mail address, where SMTP is set. It is a provider like
 * others: the browser goes to its page, and comes back with a proof that is good once, for the sign-in of the
 * same browser. The page says the same whether or not the address may sign in here.
 */
export function createEmailProvider(options: EmailProviderOptions): EmailProvider {
  const { baseUrl, send, mayGetCode, log } = options
  const codes = createEmailCodes(options.clock)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST') {
      const { searchParams } = new URL(request.url ?? '', baseUrl)
      sendPage(response, addressPage(stateOf(searchParams), '', null))
      return
    }
    const fields = await readForm(request)
    const state = stateOf(fields)
    const code = fields.get('code')
    if (code !== null) {
      answerCode(response, state, code)
      return
    }
    const email = emailOf(fields)
    if (email === null) {
      sendPage(response, addressPage(state, fields.get('email') ?? '', 'Type an e-mail address.'))
      return
    }
    if (!codes.waitFor(state, email)) {
      sendPage(response, expiredPage())
      return
    }
    // Not awaited, because the time until the answer would tell whether the address has an account.
    void sendCode(state, email).catch(error =>
      log('SIGN_IN_MAIL_FAILED', { error: String((error as Error).message) }),
    )
    sendPage(response, codePage(state, email, null))
  }

  async function sendCode(state: string, email: string): Promise<void> {
    if (!(await mayGetCode(email))) return
    const made = codes.make(state, email)
    if (made === null) return
    const code = `${made.slice(0, 4)} ${made.slice(4)}`
    await send({
      to: email,
      subject: `${code} is your sign-in code for ${new URL(baseUrl).host}`,
      text: `Your code for ${baseUrl} is\n\n    ${code}\n\nIt is good for ten minutes, in the browser that asked for it. Type it only there.\nIf you did not ask for it, somebody has typed your address: you need not do anything.\n`,
    })
  }

  function answerCode(response: ServerResponse, state: string, typed: string): void {
    const checked = codes.check(state, typed)
    if (checked === 'wrong')
      sendPage(response, codePage(state, null, 'This is not the code of the last e-mail.'))
    else if (checked === 'over') sendPage(response, overPage())
    else {
      const query = new URLSearchParams({ state, code: checked.proof })
      const headers = { Location: `${baseUrl}/auth/callback/email?${query}`, 'Cache-Control': 'no-store' }
      response.writeHead(303, { ...headers, 'Referrer-Policy': 'same-origin', 'Content-Length': 0 }).end()
    }
  }

  return {
    id: 'email',
    label: 'a code by e-mail',
    async authorizationUrl({ state }) {
      codes.begin(state)
      return new URL(`${baseUrl}${PATH}?${new URLSearchParams({ state })}`)
    },
    async identify(callback, secrets) {
      const { state, code } = Object.fromEntries(callback.searchParams)
      const email = state === secrets.state && code !== undefined ? codes.take(state, code) : null
      if (email === null) throw new SignInError('The code is used up or too old. Start again.')
      return { provider: 'email', issuer: 'email', subject: email, email, login: null }
    },
    serve(request, response) {
      const path = (request.url ?? '').split('?', 1)[0]
      if (path !== PATH) return false
      answer(request, response).catch(() => {
        if (response.headersSent) response.destroy()
        else sendPage(response, expiredPage())
      })
      return true
    },
  }
}

/** Throws for a text that no sign-in has. */
function stateOf(fields: URLSearchParams): string {
  const state = fields.get('state') ?? ''
  if (!STATE.test(state)) throw new Error('the sign-in has no state')
  return state
}

function addressPage(state: string, email: string, problem: string | null): BufferedResponse {
  return pageResponse({
    status: problem === null ? 200 : 400,
    title: 'Sign in with a code',
    body: html`<section>
<h1>Sign in with a code</h1>
${problem !== null && html`<p class="note bad" role="alert">${problem}</p>`}
<form method="post" action="${PATH}">
<input type="hidden" name="state" value="${state}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<button>Send a code</button>
</form>
<p class="quiet"><a href="/auth/sign-in">Other ways to sign in</a></p>
</section>`,
  })
}

/** `email`: null after a wrong code. */
function codePage(state: string, email: string | null, problem: string | null): BufferedResponse {
  return pageResponse({
    status: problem === null ? 200 : 400,
    title: 'Type the code',
    body: html`<section>
<h1>Type the code</h1>
${problem !== null && html`<p class="note bad" role="alert">${problem}</p>`}
${email !== null && html`<p>If ${email} may sign in here, an e-mail with a code is on its way. It is good for ten minutes, in this browser.</p>`}
<form method="post" action="${PATH}">
<input type="hidden" name="state" value="${state}">
<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="20" required autofocus>
<button>Sign in</button>
</form>
<p class="quiet">Nothing came? Look at the folder for spam. An address gets five codes in an hour. <a href="/auth/sign-in">Start again</a></p>
</section>`,
  })
}

function overPage(): BufferedResponse {
  return pageResponse({
    status: 400,
    title: 'This code is over',
    body: html`<section>
<h1>This code is over</h1>
<p>It was wrong five times, is older than ten minutes, or was used.</p>
<p><a class="button" href="/auth/sign-in">Sign in again</a></p>
</section>`,
  })
}
