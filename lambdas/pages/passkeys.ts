import type { z } from 'zod'
import { PASSKEY_ALGORITHMS, PASSKEY_REFUSED, type PasskeyVerifier } from '#core/access/passkey-verifier'
import { MAX_PASSKEYS, PASSKEY_SECONDS, type Passkey } from '#core/access/passkeys'
import { SignInError } from '#core/access/provider'
import { safeReturnPath } from '#core/access/return-path'
import type { Account } from '#core/accounts/account'
import { ApiError } from '#core/errors'
import { plainText } from '#core/text/clean-text'
import { jsonOrNull } from '#core/text/json-or-null'
import { utcDate } from '#core/time'
import { signInCookie } from '#lambdas/http/cookies'
import { type Html, html } from '#lambdas/http/html'
import type { HttpRequest } from '#lambdas/http/http'
import { csrfField, pageResponse, redirect } from '#lambdas/http/page'
import { requireNavigation } from '#lambdas/http/third-party'
import { newPasskey, type UsedPasskey, usedPasskey } from '#schemas/passkeys'
import { type BrowserSteps, byBrowser, formFields, viewerOf } from './browser.ts'
import type { PagesServices } from './services.ts'
import { commandText, labelsOf, whyNoPasskeys } from './sign-in-ways.ts'

/** The provider of a sign-in attempt that a passkey ends. */
const PASSKEY = 'passkey'
const NAME_CHARS = 40
const ACCOUNT_ID = /^acc_[0-9a-f]{16}$/

/**
 * Passkeys: sign-in (U123), and those of the account (U124). The challenge of a page follows from the
 * attempt of its cookie, so an answer is good once, in the browser that asked, and for five minutes.
 */
export function passkeyPages(services: PagesServices, browser: BrowserSteps) {
  const { passkeys, accounts, signInAttempts, browserSessions, audit, guards, baseUrl, clock } = services
  const attemptCookie = signInCookie(baseUrl)

  const askPasskey = browser.open(async (request, session) => {
    const { relyingParty } = verifierOf(services)
    const { challenge, cookie } = await beginAttempt(request, safeReturnPath(request.query.to))
    const options = {
      challenge,
      rpId: relyingParty.id,
      timeout: PASSKEY_SECONDS * 1_000,
      userVerification: 'required',
    }
    return pageResponse({
      title: 'Sign in with a passkey',
      viewer: session && viewerOf(session),
      script: true,
      cookies: [cookie],
      body: html`<section>
<h1>Sign in with a passkey</h1>
<p>The browser asks for a passkey of ${relyingParty.id}.</p>
<form method="post" action="/auth/passkey" data-passkey="get" data-options="${JSON.stringify(options)}">
<input type="hidden" name="credential">
<button>Use a passkey</button></form>
${problemPart()}
<p class="quiet"><a href="/auth/sign-in">Other ways to sign in</a></p>
</section>`,
    })
  })

  /** Another site cannot send this form: it does not know the challenge of this browser's cookie. */
  const signInByPasskey = browser.open(async request => {
    const verifier = verifierOf(services)
    const answer = answerOf(formFields(request), usedPasskey)
    const { attempt, challenge } = await endAttempt(request)
    if (attempt.link_account_id !== undefined) throw new SignInError(PASSKEY_REFUSED)
    const account = await accountOf(answer)
    const passkey = account === null ? null : await passkeys.byCredential(account.id, answer.id)
    if (account === null || passkey === null) throw new SignInError(PASSKEY_REFUSED)
    const counter = await verifier.readCounter(answer, challenge, passkey)
    if (!(await passkeys.noteUse(account.id, passkey, counter))) throw new SignInError(PASSKEY_REFUSED)
    const created = await browserSessions.rotate(browser.cookie.read(request) ?? null, account.id)
    await audit.record(
      byBrowser({
        account_id: account.id,
        session_id: PASSKEY,
        action: 'signed_in',
        route: 'POST /auth/passkey',
        status: 303,
      }),
    )
    const maxAge = Math.floor((created.expires_at - clock.now()) / 1_000)
    return redirect(attempt.return_to, [browser.cookie.set(created.token, maxAge), attemptCookie.clear()])
  })

  const passkeysPage = browser.signedIn(async ({ session, viewer }) => {
    verifierOf(services)
    const own = await passkeys.list(session.account.id)
    return pageResponse({
      title: 'Passkeys',
      viewer,
      body: html`<section>
<h1>Passkeys</h1>
${own.length === 0 ? html`<p>The account has no passkey. ${otherWays(services)}</p>` : html`<ul class="list">${own.map(passkey => passkeyPart(passkey, viewer.csrfToken))}</ul>`}
${own.length === 1 && html`<p class="note">This is the only passkey. When it is removed or lost: ${otherWays(services)}</p>`}
${own.length > 0 && html`<p class="quiet">A browser that is signed in stays so for up to 30 days after its passkey was removed. <a href="/settings">Sign out all other browsers</a>.</p>`}
${own.length < MAX_PASSKEYS ? html`<a class="button" href="/settings/passkeys/new">Add a passkey</a>` : html`<p class="quiet">An account has at most ${MAX_PASSKEYS} passkeys. Remove one before you add another.</p>`}
</section>`,
    })
  })

  const newPasskeyPage = browser.signedIn(async ({ request, session: { account }, viewer }) => {
    const { relyingParty } = verifierOf(services)
    const own = await passkeys.list(account.id)
    const { challenge, cookie } = await beginAttempt(request, '/settings/passkeys', account.id)
    const options = {
      challenge,
      rp: { id: relyingParty.id, name: 'Footfall' },
      user: { id: handleOf(account), name: account.email, displayName: account.email },
      pubKeyCredParams: PASSKEY_ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
      timeout: PASSKEY_SECONDS * 1_000,
      excludeCredentials: own.map(({ credential_id, transports }) => ({
        type: 'public-key',
        id: credential_id,
        transports,
      })),
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      attestation: 'none',
    }
    return pageResponse({
      title: 'Add a passkey',
      viewer,
      script: true,
      cookies: [cookie],
      body: html`<section>
<h1>Add a passkey</h1>
<p>With a passkey you sign in here by the lock of this device, such as a finger, a face or a PIN. ${own.length === 0 && 'Without one, the next sign-in needs another way.'}</p>
<form method="post" action="/settings/passkeys" data-passkey="create" data-options="${JSON.stringify(options)}">${csrfField(viewer.csrfToken)}
<input type="hidden" name="credential">
<label for="name">Name, by which you know it again</label>
<input id="name" name="name" value="Passkey ${own.length + 1}" maxlength="${NAME_CHARS}" autocomplete="off" required>
<button>Create a passkey</button></form>
${problemPart()}
<p class="quiet"><a href="/settings">Not now</a></p>
</section>`,
    })
  })

  const addPasskey = browser.form(async ({ request, session, fields }) => {
    const verifier = verifierOf(services)
    const { account } = session
    const name = nameOf(fields)
    const answer = answerOf(fields, newPasskey)
    const { attempt, challenge } = await endAttempt(request)
    if (attempt.link_account_id !== account.id) throw new SignInError(PASSKEY_REFUSED)
    const key = await verifier.readNew(answer, challenge)
    if ((await passkeys.byCredential(account.id, key.credential_id)) !== null)
      throw new ApiError('MISSING_FIELDS', 'The account has this passkey already. Use it to sign in.')
    if ((await passkeys.add(account.id, key, name)) === null)
      throw new ApiError(
        'MISSING_FIELDS',
        `The account has ${MAX_PASSKEYS} passkeys and cannot have more. Remove one first.`,
      )
    await recordChange(session, 'passkey_added', 'POST /settings/passkeys')
    return redirect('/settings/passkeys', [attemptCookie.clear()])
  })

  const renamePasskey = browser.form(async ({ request, session, fields }) => {
    const name = nameOf(fields)
    if (!(await passkeys.rename(session.account.id, request.params.id ?? '', name))) throw noSuchPasskey()
    await recordChange(session, 'passkey_renamed', 'POST /settings/passkeys/{id}/rename')
    return redirect('/settings/passkeys')
  })

  const removePasskey = browser.form(async ({ request, session }) => {
    if (!(await passkeys.remove(session.account.id, request.params.id ?? ''))) throw noSuchPasskey()
    await recordChange(session, 'passkey_removed', 'POST /settings/passkeys/{id}/remove')
    return redirect('/settings/passkeys')
  })

  /** `accountId`: the account that gets the passkey; without it somebody signs in. */
  async function beginAttempt(request: HttpRequest, return_to: string, accountId?: string) {
    requireNavigation(request)
    await guards.countSignIn(request.ip)
    const { token, secrets } = await signInAttempts.begin(
      { provider: PASSKEY, return_to, link_account_id: accountId },
      PASSKEY_SECONDS,
    )
    return { challenge: secrets.nonce, cookie: attemptCookie.set(token, PASSKEY_SECONDS) }
  }

  /** Throws SignInError when the browser has no attempt, or it is over. */
  async function endAttempt(request: HttpRequest) {
    const token = attemptCookie.read(request)
    const ended = token === undefined ? null : await signInAttempts.end(token)
    if (ended?.attempt.provider !== PASSKEY) throw new SignInError(PASSKEY_REFUSED)
    return { attempt: ended.attempt, challenge: ended.secrets.nonce }
  }

  /** The account that the passkey names; null for none. The signature proves it later. */
  async function accountOf({ response }: UsedPasskey): Promise<Account | null> {
    const id = Buffer.from(response.userHandle, 'base64url').toString()
    return ACCOUNT_ID.test(id) ? accounts.byId(id) : null
  }

  function recordChange(
    { account, id }: { account: Account; id: string },
    action: string,
    route: string,
  ): Promise<void> {
    return audit.record(byBrowser({ account_id: account.id, session_id: id, action, route, status: 303 }))
  }

  return {
    askPasskey,
    signInByPasskey,
    passkeysPage,
    newPasskeyPage,
    addPasskey,
    renamePasskey,
    removePasskey,
  }
}

/** Throws NOT_FOUND where nobody has passkeys. */
function verifierOf({ passkeyVerifier, baseUrl }: PagesServices): PasskeyVerifier {
  if (passkeyVerifier === null)
    throw new ApiError(
      'NOT_FOUND',
      `There are no passkeys here. Sign in another way, at /auth/sign-in. ${whyNoPasskeys(baseUrl)}`,
    )
  return passkeyVerifier
}

/** The id of the account, by which a passkey names it. It says nothing about the person. */
function handleOf({ id }: Account): string {
  return Buffer.from(id).toString('base64url')
}

/** What the browser has put into the form. Throws MISSING_FIELDS. */
function answerOf<T>(fields: URLSearchParams, model: z.ZodType<T>): T {
  const parsed = model.safeParse(jsonOrNull(fields.get('credential') ?? ''))
  if (parsed.success) return parsed.data
  throw new ApiError(
    'MISSING_FIELDS',
    'Field `credential` is missing, or is not what a browser returns of a passkey. Open the page again, in a browser with JavaScript.',
  )
}

function nameOf(fields: URLSearchParams): string {
  const name = plainText(fields.get('name') ?? '', NAME_CHARS)
  if (name === '')
    throw new ApiError('MISSING_FIELDS', `Field \`name\` takes a text of 1 to ${NAME_CHARS} characters.`)
  return name
}

function noSuchPasskey(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'Your account has no such passkey. Open the page again to see those that it has.',
  )
}

/** How the account gets in without a passkey. */
function otherWays({
  providers,
  ownerLinkCommand,
}: Pick<PagesServices, 'providers' | 'ownerLinkCommand'>): Html {
  const link = html`whoever runs this service can get a link: ${commandText(ownerLinkCommand)}.`
  return providers.length === 0
    ? html`You sign in by a link: ${link}`
    : html`You can sign in with ${labelsOf(providers)}, if you have added that. Else ${link}`
}

function passkeyPart({ id, name, created_at, last_used_at }: Passkey, csrfToken: string): Html {
  const path = `/settings/passkeys/${id}`
  return html`<li><strong>${name}</strong>
<p class="quiet">Added <time>${utcDate(created_at)}</time>, ${last_used_at === null ? 'not used yet' : html`last used <time>${utcDate(last_used_at)}</time>`}</p>
<form method="post" action="${path}/rename">${csrfField(csrfToken)}
<label for="${id}">New name</label><input id="${id}" name="name" value="${name}" maxlength="${NAME_CHARS}" autocomplete="off" required>
<button class="plain" aria-label="Rename ${name}">Rename</button></form>
<form method="post" action="${path}/remove">${csrfField(csrfToken)}<button class="danger" aria-label="Remove ${name}">Remove</button></form></li>`
}

/** Where the script says why no passkey was used. */
function problemPart(): Html {
  return html`<p class="note bad" role="alert" data-passkey-problem hidden></p>
<noscript><p class="note bad">Passkeys need JavaScript.</p></noscript>`
}
