import type { SiteFindings } from '#scanner/read/findings'
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
      'Whether users of {host} bring their colleagues',
      'where the server of {host} sends the invitation',
    ],
  ],
  shop: [
    [
      'order_refunded',
      'Which products people send back to {host}, so that the revenue is the real one',
      'where {host} records a return',
    ],
    [
      'back_in_stock_notified',
      'How many people wait for products that {host} does not have',
      'the stock system of {host}',
    ],
  ],
  content: [
    [
      'membership_paid',
      'Which texts of {host} lead to paying readers',
      'the webhook of the payment provider of {host}',
    ],
    [
      'newsletter_opened',
      'Whether subscribers of {host} read what they get',
      'the mail service of {host}, by its webhook',
    ],
  ],
  marketplace: [
    ['payout_made', 'Whether sellers of {host} earn enough to stay', 'the payment system of {host}'],
    [
      'dispute_opened',
      'In which categories of {host} buyers and sellers disagree',
      'the support tool of {host}',
    ],
  ],
  docs: [
    [
      'first_api_call_made',
      'Whether readers of {host} become users of the product',
      'the API of the product that {host} documents',
    ],
    [
      'support_ticket_opened',
      'Which pages of {host} leave a question open',
      'the support tool, with the last page of {host} that the person saw',
    ],
  ],
  community: [
    ['member_returned', 'Whether members of {host} come back', 'a daily job over the members of {host}'],
    [
      'post_flagged',
      'Where members of {host} complain about other members',
      'the moderation queue of {host}',
    ],
  ],
  local_business: [
    [
      'visit_made',
      'How many bookings of {host} turn into visits',
      'the cash register or the calendar of {host}, once a day',
    ],
    ['visit_missed', 'How often people book at {host} and do not come', 'the calendar of {host}'],
  ],
  portfolio: [
    [
      'project_won',
      'Which source of {host} brings paid work and not only messages',
      'the tool with the invoices of {host}',
    ],
    [
      'proposal_sent',
      'How many enquiries at {host} lead to a proposal',
      'the mail or the tool with which the proposals of {host} are written',
    ],
  ],
  app: [
    [
      'license_bought',
      'Which use of {host} leads to a purchase',
      'the webhook of the payment provider of {host}',
    ],
    [
      'work_resumed',
      'Whether people come back to {host} with the same work',
      'where {host} opens something that the user stored before',
    ],
  ],
  public_service: [
    [
      'request_completed',
      'Which matters people of {host} can settle without a visit',
      'where the case system behind {host} closes a request',
    ],
    ['appointment_kept', 'How many appointments of {host} people keep', 'the calendar of {host}'],
  ],
  jobs: [
    [
      'position_filled',
      'Which sources of {host} bring people who are hired',
      'where an employer of {host} closes a position',
    ],
    ['position_paid', 'Which employers pay {host}', 'the webhook of the payment provider of {host}'],
  ],
  event: [
    [
      'ticket_sold',
      'Which pages and sources sell tickets of {host}',
      'the webhook of the ticket service of {host}',
    ],
    ['guest_arrived', 'How many of those with a ticket come to {host}', 'the check-in at the door of {host}'],
  ],
  podcast: [
    [
      'episode_downloaded',
      'How many people hear {host} in their apps',
      'the statistics of the host of the audio files of {host}',
    ],
    [
      'supporter_joined',
      'Which episodes of {host} move people to pay',
      'the webhook of the membership service of {host}',
    ],
  ],
  nonprofit: [
    [
      'donation_received',
      'Which campaigns of {host} bring gifts',
      'the webhook of the donation service of {host}',
    ],
    [
      'volunteer_active',
      'How many of those who offer help to {host} come',
      'the member list of {host}, once a week',
    ],
  ],
  app_store_page: [
    [
      'app_opened_first',
      'Which sources of {host} bring people who open the app',
      'the app behind {host}, with its first start',
    ],
    [
      'subscription_started',
      'Which people who came by {host} pay',
      'the server notifications of the stores for {host}',
    ],
  ],
  api: [
    [
      'first_api_call_made',
      'Whether visitors of {host} become users',
      'the gateway in front of the interface of {host}',
    ],
    ['quota_exceeded', 'Which users of {host} need a larger plan', 'the same gateway of {host}'],
  ],
  unknown: [
    [
      'customer_won',
      'Which visitors of {host} become customers',
      'where the business of {host} records a new customer',
    ],
    [
      'customer_lost',
      'Who leaves, and what they had seen on {host}',
      'where the business of {host} records that a customer leaves',
    ],
  ],
}

export function businessEventsLater({
  hostname,
  classification,
}: SiteFindings): ScanResult['business_events_later'] {
  const put = (text: string) => text.replaceAll('{host}', hostname)
  return BUSINESS[classification.site_class].map(([event, why, where]) => ({
    event,
    why: `It shows ${put(why).charAt(0).toLowerCase()}${put(why).slice(1)}.`,
    where_to_instrument: `Send it by POST /track with an API key from ${put(where)}.`,
  }))
}

/** The entry of a site that shows a log-in. */
export const KNOWN_USERS = 'Known users'

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
          why: `${hostname} is built with ${framework?.name ?? 'scripts'} (${pageWords(framework?.evidence ?? 'an empty document')}), so its pages change without a new load.`,
          implementation_hint: `Add data-track-spa="true" to the script tag of ${hostname}.`,
        }
      : null,
    consent !== undefined || has_consent_banner
      ? {
          capability: 'Consent',
          why: `${hostname} asks for consent${consent === undefined ? '' : ` with ${consent.name}`}, so events must wait for the answer.`,
          implementation_hint: `Add data-require-consent="true" to the script tag, and call aa.grantConsent() and aa.revokeConsent() from the banner of ${hostname}.`,
        }
      : null,
    logIn === undefined
      ? null
      : {
          capability: KNOWN_USERS,
          why: `${hostname} has accounts (${pageWords(logIn.words || logIn.selector)} on ${pageWords(logIn.page, 60)}). Without an id, one person on two devices counts as two.`,
          implementation_hint: `Call window.aa?.identify with the id of the account after each log-in and sign-up of ${hostname}. The id is never an e-mail address.`,
        },
    form === undefined
      ? null
      : {
          capability: 'Errors and failed forms',
          why: `${hostname} depends on forms such as ${pageWords(form.words || form.selector)} on ${pageWords(form.page, 60)}. If a script fails there, customers are lost and nobody notices.`,
          implementation_hint: `Add data-track-errors="true" to the script tag of ${hostname}, and look at $error by path each week.`,
        },
    languages.length > 1
      ? {
          capability: 'Languages apart',
          why: `${hostname} has pages in ${languages.slice(0, 5).join(', ')}, and visitors of each language may behave differently.`,
          implementation_hint: `Call window.aa?.set({ site_language: document.documentElement.lang }) on each page of ${hostname}, and break reports down by it.`,
        }
      : null,
    {
      capability: 'Speed as visitors feel it',
      why: `People leave slow pages of ${hostname} before any event of this plan can happen.`,
      implementation_hint: `Add data-track-vitals="true" to the script tag of ${hostname} for one week, and read cwv_lcp by path.`,
    },
  ]
  return entries.filter(entry => entry !== null)
}
