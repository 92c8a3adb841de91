import { relyingPartyOf } from '#core/access/passkey-verifier'
import type { IdentityProvider } from '#core/access/provider'
import { type Html, html } from '#lambdas/http/html'
import type { PagesServices } from './services.ts'

type Ways = Pick<PagesServices, 'providers' | 'passkeyVerifier' | 'ownerLinkCommand' | 'baseUrl'>
/** `add` adds a way to sign in to the account, `switch` lets the person choose another account. */
type Flag = 'add' | 'switch'

/**
 * A button a way to sign in: the providers, then passkeys. They are links, so that a sign-in at a provider
 * needs neither a script nor a form.
 */
export function signInLinks(
  { providers, passkeyVerifier }: Ways,
  to: string,
  flags: readonly Flag[] = [],
): Html {
  const query = [`to=${encodeURIComponent(to)}`, ...flags.map(name => `${name}=1`)].join('&')
  const links = providers.map(({ id, label }) => ({ href: `/auth/start/${id}?${query}`, label }))
  if (passkeyVerifier !== null) {
    const href = flags.includes('add') ? '/settings/passkeys' : `/auth/passkey?to=${encodeURIComponent(to)}`
    links.push({ href, label: 'a passkey' })
  }
  if (links.length === 0)
    return html`<p>No sign-in provider is configured here. <a href="/auth/sign-in">How the owner signs in</a>. Then open this page again.</p>`
  return html`${links.map(
    ({ href, label }, i) =>
      html`<a class="${i === 0 ? 'button' : 'button plain'}" rel="nofollow" href="${href}">Continue with ${label}</a>`,
  )}`
}

/** Which ways to sign in work here, and which do not. */
export function waysHere({ providers: all, passkeyVerifier, ownerLinkCommand, baseUrl }: Ways): Html {
  const providers = all.filter(({ id }) => id !== 'email')
  const hasEmail = providers.length < all.length
  const isLinkAlone = all.length === 0 && passkeyVerifier === null
  return html`${isLinkAlone && html`<p>No sign-in provider is configured here, so a link is the only way to sign in.</p>`}
<h2>What works here</h2>
<dl>
<dt>Passkey</dt><dd>${passkeyVerifier === null ? `No. ${whyNoPasskeys(baseUrl)}` : 'Yes, for who has added one: after the first sign-in another way, at Account, Passkeys.'}</dd>
<dt>Provider</dt><dd>${providers.length === 0 ? 'No. An OpenID provider or a code host can be set up.' : `Yes: ${labelsOf(providers)}.`}</dd>
<dt>E-mail</dt><dd>${hasEmail ? 'Yes: a code, for addresses that have an account here or are admitted.' : 'No. This service sends no e-mail.'}</dd>
<dt>Link</dt><dd>Yes, for whoever runs this service: ${commandText(ownerLinkCommand)}. It signs the owner in once.</dd>
</dl>`
}

/** Why nobody has passkeys at this address, and what to do. */
export function whyNoPasskeys(baseUrl: string): string {
  return relyingPartyOf(baseUrl) === null
    ? `Browsers have passkeys for https with a host name, or for localhost, and this address is ${new URL(baseUrl).origin}. Use a link, or give the service a name and TLS.`
    : 'This deployment has none. Use a provider.'
}

/** The names of providers, for a sentence. */
export function labelsOf(providers: readonly IdentityProvider[]): string {
  return providers.map(({ label }) => label).join(', ')
}

/** `run <command>`: what prints a link of the owner here. */
export function commandText(command: string): Html {
  const [before, program, after] = command.split('`')
  return program === undefined ? html`run ${before}` : html`run ${before}<code>${program}</code>${after}`
}
