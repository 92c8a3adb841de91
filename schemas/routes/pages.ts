import type { Route } from '#schemas/route'

/**
 * Pages for people, and the form posts behind them. `browser` means: the cookie of a signed-in browser is the
 * only credential, and the function answers HTML (lambdas/pages/). They are not part of the OpenAPI document.
 */

const HTML = { contentType: 'text/html' }

function page(method: 'GET' | 'POST', path: string, summary: string) {
  return {
    method,
    path,
    tag: 'Pages',
    summary,
    function: 'pages',
    auth: 'browser',
    cookies: true,
    responses: { 200: { description: 'The page', ...HTML } },
    errors: [],
  } as const satisfies Route
}

export const pagesRoutes = {
  home: page('GET', '/', 'What this service is, and the first three calls'),
  llms: page('GET', '/llms.txt', 'The same as text'),
  pagesScript: page('GET', '/pages.js', 'The copy button of the pages, and what asks for passkeys'),
  dashboardSites: page('GET', '/app', 'The dashboard: all sites'),
  dashboardAccount: page('GET', '/app/{view}', 'The dashboard: the account, and the demo at /app/demo'),
  dashboardDemo: page('GET', '/app/demo/{view}', 'The dashboard: the demo, for everybody'),
  dashboardProject: page('GET', '/app/p/{project}', 'The dashboard: one project'),
  dashboardView: page('GET', '/app/p/{project}/{view}', 'The dashboard: a view of a project'),
  sharedDashboard: page('GET', '/share/{secret}', 'The part of a project that a share link shows'),
  sharedView: page('GET', '/share/{secret}/{view}', 'One view of it'),
  dashboardFile: {
    method: 'GET',
    path: '/app/assets/{file}',
    tag: 'Pages',
    summary: 'A script or the style of the dashboard, by the hash of its content',
    function: 'site',
    auth: 'none',
    responses: { 200: { description: 'The file, cached for a year', contentType: 'application/javascript' } },
    errors: ['NOT_FOUND'],
  },
  signInPage: page('GET', '/auth/sign-in', 'Choose a way to sign in, of those that work here'),
  startSignIn: page('GET', '/auth/start/{provider}', 'Go to the provider'),
  finishSignIn: page('GET', '/auth/callback/{provider}', 'Come back from the provider'),
  askPasskey: page('GET', '/auth/passkey', 'Ask the browser for a passkey'),
  signInByPasskey: page('POST', '/auth/passkey', 'Sign in with a passkey'),
  logout: page('POST', '/auth/logout', 'End this browser session'),
  setupPage: page('GET', '/setup/{link}', "The owner's one-time link"),
  redeemSetup: page('POST', '/setup/{link}', 'Sign in as the owner, once'),
  authorizeClient: page('GET', '/oauth/authorize', 'Where an MCP client sends the human to sign in'),
  authorizePage: page('GET', '/agent-sessions/authorize/{id}', 'Approve or deny an agent session'),
  decideAuthorize: page('POST', '/agent-sessions/authorize/{id}', 'The decision'),
  settingsPage: page('GET', '/settings', 'The account'),
  sessionsPage: page('GET', '/settings/sessions', 'Agent sessions of the account'),
  disconnectSession: page('POST', '/settings/sessions/{id}/disconnect', 'Revoke an agent session'),
  signOutOthers: page('POST', '/settings/sign-out-others', 'End all other browser sessions of the account'),
  apiKeyPage: page('GET', '/settings/api-key', 'The API key of the account'),
  replaceApiKey: page('POST', '/settings/api-key', 'Create or replace the API key'),
  passkeysPage: page('GET', '/settings/passkeys', 'Passkeys of the account'),
  newPasskeyPage: page('GET', '/settings/passkeys/new', 'Ask the browser for a new passkey'),
  addPasskey: page('POST', '/settings/passkeys', 'Add a passkey'),
  renamePasskey: page('POST', '/settings/passkeys/{id}/rename', 'Rename a passkey'),
  removePasskey: page('POST', '/settings/passkeys/{id}/remove', 'Remove a passkey'),
  deletePage: page('GET', '/settings/delete', 'Delete the account'),
  confirmDelete: page('POST', '/settings/delete', 'Delete the account for good'),
  upgradePage: page('GET', '/account/billing/agent-upgrade', 'Upgrade to Pro'),
  startCheckout: page('POST', '/account/billing/checkout', 'Go to the payment provider'),
  spendCapPage: page('GET', '/account/billing/spend-cap', 'The monthly spend cap of a paying account'),
  changeSpendCap: page('POST', '/account/billing/spend-cap', 'Set or remove the monthly spend cap'),
  checkoutDone: page('GET', '/account/billing/done', 'Back from the payment provider'),
  paymentWebhook: {
    method: 'POST',
    path: '/webhooks/payment',
    tag: 'Pages',
    summary: 'Events of the payment provider, signed by it',
    function: 'pages',
    auth: 'browser',
    responses: { 200: { description: 'The event is known', contentType: 'application/json' } },
    errors: [],
  },
} as const satisfies Record<string, Route>
