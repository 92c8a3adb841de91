import type { SiteFindings } from '#core/scans/read/findings'
import type { ScanResult, SiteClass } from '#schemas/website-scans'
import { pageWords } from './words-of-page.ts'

type Business = readonly [event: string, why: string, where: string]

/** Events of the business behind a site, by its class: `{host}` is the site. */
const BUSINESS: Record<SiteClass, readonly Business[]> = {
  saas: [
    [
      'subscription_started',
      'Which source brings accounts of {host} that pay',
      'the webhook of the payment provider of {host}',
    ],
    [
      'subscription_cancelled',
      'What the accounts that leave {host} had in common',
      'the same webhook of {host}, with the reason',
    ],
    [
      'team_member_invited',
      'Whether {host} spreads within a company',
      'where the server of {host} sends the invitation',
    ],
  ],
  shop: [
    [
      'order_refunded',
      'Which products of {host} come back, so that revenue is net',
      'where {host} books a return',
    ],
    ['back_in_stock_notified', 'What {host} loses by empty shelves', 'the stock system of {host}'],
  ],
  content: [
    [
      'membership_paid',
      'Which texts of {host} lead to paying readers',
      'the webhook of the payment provider of {host}',
    ],
    ['newsletter_opened', 'Whether readers won by {host} stay', 'the mail service of {host}, by its webhook'],
  ],
  marketplace: [
    ['payout_made', 'Whether sellers of {host} earn enough to stay', 'the payment system of {host}'],
    ['dispute_opened', 'Which categories of {host} cost trust', 'the support desk of {host}'],
  ],
  docs: [
    [
      'first_api_call_made',
      'Whether readers of {host} become users of the product',
      'the gateway of the product that {host} documents',
    ],
    [
      'support_ticket_opened',
      'Which pages of {host} fail to answer',
      'the support desk, with the last page of {host}',
    ],
  ],
  community: [
    ['member_returned', 'Whether {host} keeps those who join', 'a daily job over the members of {host}'],
    ['post_flagged', 'Where the tone of {host} drives people away', 'the moderation queue of {host}'],
  ],
  local_business: [
    [
      'visit_made',
      'How many bookings of {host} turn into visits',
      'the till or the calendar of {host}, once a day',
    ],
    ['visit_missed', 'What no-shows cost {host}', 'the calendar of {host}'],
  ],
  portfolio: [
    [
      'project_won',
      'Which source of {host} brings paid work, not only letters',
      'by hand or from the invoices behind {host}',
    ],
    [
      'proposal_sent',
      'How many enquiries of {host} are worth an answer',
      'the mail or the tool for offers behind {host}',
    ],
  ],
  app: [
    ['license_bought', 'Which use of {host} leads to money', 'the webhook of the payment provider of {host}'],
    [
      'work_resumed',
      'Whether people come back to {host} with the same work',
      'where {host} opens a stored work',
    ],
  ],
  unknown: [
    [
      'customer_won',
      'What {host} earns from its visitors',
      'where the business behind {host} records a customer',
    ],
    ['customer_lost', 'Who leaves, and what they had seen on {host}', 'the same place behind {host}'],
  ],
}

export function businessEventsLater({
  hostname,
  classification,
}: SiteFindings): ScanResult['business_events_later'] {
  const put = (text: string) => text.replaceAll('{host}', hostname)
  return BUSINESS[classification.site_class].map(([event, why, where]) => ({
    event,
    why: `${put(why)}.`,
    where_to_instrument: `From a server, by POST /track with an API key: ${put(where)}.`,
  }))
}

type Advanced = ScanResult['advanced_tracking_later'][number]

const SPA = /^(Next\.js|Nuxt|SvelteKit|Gatsby|Remix|Angular|Vue|React)$/

/** What the tracker can do beyond the plan, each because the site shows a reason for it. */
export function advancedTrackingLater(findings: SiteFindings): Advanced[] {
  const { hostname, framework, actions, has_consent_banner, is_shell, languages, providers } = findings
  const logIn = actions.find(({ intent }) => intent === 'log_in')
  const form = actions.find(({ kind }) => kind === 'form')
  const consent = providers.find(({ kind }) => kind === 'consent')
  const entries: (Advanced | null)[] = [
    SPA.test(framework?.name ?? '') || is_shell
      ? {
          capability: 'Page views of a single-page application',
          why: `${hostname} is built with ${framework?.name ?? 'scripts'} (${pageWords(framework?.evidence ?? 'an empty document')}), so most of its pages open without a load.`,
          implementation_hint: `Add data-track-spa="true" to the script tag of ${hostname}.`,
        }
      : null,
    consent !== undefined || has_consent_banner
      ? {
          capability: 'Consent',
          why: `${hostname} asks for consent${consent === undefined ? '' : ` with ${consent.name}`}: events must wait for the answer.`,
          implementation_hint: `Add data-require-consent="true" to the script tag, and call aa.grantConsent() and aa.revokeConsent() from the banner of ${hostname}.`,
        }
      : null,
    logIn === undefined
      ? null
      : {
          capability: 'Known users',
          why: `${hostname} has accounts (${pageWords(logIn.words || logIn.selector)} on ${pageWords(logIn.page, 60)}): one person on two devices is one user only with an id.`,
          implementation_hint: `Call aa.identify with the account id after the log-in of ${hostname}; never an e-mail address as the id.`,
        },
    form === undefined
      ? null
      : {
          capability: 'Errors and failed forms',
          why: `${hostname} depends on forms such as ${pageWords(form.words || form.selector)} on ${pageWords(form.page, 60)}: a script that fails there costs customers silently.`,
          implementation_hint: `Add data-track-errors="true" to the script tag of ${hostname}, and look at $error by path each week.`,
        },
    languages.length > 1
      ? {
          capability: 'Languages apart',
          why: `${hostname} has pages in ${languages.slice(0, 5).join(', ')}: their readers behave differently.`,
          implementation_hint: `Call aa.set({ site_language: document.documentElement.lang }) once on each page of ${hostname}, and break reports down by it.`,
        }
      : null,
    {
      capability: 'Speed as visitors feel it',
      why: `Slow pages of ${hostname} lose people before any event of this plan can happen.`,
      implementation_hint: `Add data-track-vitals="true" to the script tag of ${hostname} for one week, and read cwv_lcp by path.`,
    },
  ]
  return entries.filter(entry => entry !== null)
}
