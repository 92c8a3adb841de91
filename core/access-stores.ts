import { createAgentSessionStore } from './access/agent-sessions.ts'
import { createAuthRequestStore } from './access/auth-requests.ts'
import { createBrowserSessionStore } from './access/browser-sessions.ts'
import { createClientRegistry } from './access/client-registry.ts'
import { createDemo } from './access/demo.ts'
import { createIdentityDirectory } from './access/identities.ts'
import { createPasskeys } from './access/passkeys.ts'
import { createSetupLinks } from './access/setup-links.ts'
import { createShareLinks } from './access/share-links.ts'
import { createSignInAttempts } from './access/sign-in-attempts.ts'
import { createAuditLog } from './accounts/audit.ts'
import { createFeedbackStore, type FeedbackSink } from './accounts/feedback.ts'
import type { Billing } from './billing/billing.ts'
import { createAccountDeletion } from './deletion/account-deletion.ts'
import { createAddressGuards } from './limits/address-guards.ts'
import { createGuestPlaces } from './limits/guest-places.ts'
import { createLimits } from './limits/limits.ts'
import type { Profile } from './plans/profile.ts'
import type { Clock, Log } from './ports.ts'
import { createAnnotations } from './projects/annotations.ts'
import { createContextStore } from './projects/contexts.ts'
import { createPortfolioStore } from './projects/portfolios.ts'
import { createProjectReader } from './projects/read-project.ts'
import { createSavedViews } from './projects/saved-views.ts'
import { createSegments } from './projects/segments.ts'
import type { StateTable } from './state/state-table.ts'
import type { Stores } from './stores.ts'

export type AccessOptions = StateTable &
  Pick<Stores, 'accounts' | 'projects' | 'usage'> & {
    clock: Clock
    log: Log
    profile: Profile
    /** E-mail addresses and domains (`@example.com`) that may sign up where sign-up is not open. */
    admitted: readonly string[]
    /** Where feedback is delivered, beside the state table. */
    feedbackSink?: FeedbackSink | null
    /**
     * How long audit entries of reports wait for others, ms. Default 0: they are written before the response.
     */
    gatherMs?: number
    /**
     * Null (default) where nobody pays, and in functions that take no payments: these do not load its code.
     */
    billing?: Billing | null
  }

/**
 * Creates the stores of those who call: sessions, sign-in, identities, the audit log. A process has one of
 * each.
 */
export function createAccessStores({ accounts, projects, usage, profile, ...options }: AccessOptions) {
  const { client, table, clock, log, admitted, feedbackSink = null, gatherMs = 0, billing = null } = options
  const services = { client, table, clock }
  const agentSessions = createAgentSessionStore({ ...services, accounts })
  const annotations = createAnnotations(services)
  const contexts = createContextStore({ ...services, projects, annotations })
  const passkeys = createPasskeys(services)
  return {
    profile,
    billing,
    agentSessions,
    browserSessions: createBrowserSessionStore({ ...services, accounts }),
    authRequests: createAuthRequestStore(services),
    clientRegistry: createClientRegistry(services),
    signInAttempts: createSignInAttempts(services),
    setupLinks: createSetupLinks(services),
    passkeys,
    shareLinks: createShareLinks({ ...services, accounts, projects }),
    savedViews: createSavedViews(services),
    segments: createSegments(services),
    identities: createIdentityDirectory({ ...services, accounts, profile, admitted }),
    guards: createAddressGuards({ ...services, profile }),
    audit: createAuditLog({ ...services, log, waitMs: gatherMs }),
    limits: createLimits({ ...services, log, profile, accounts, usage }),
    guestPlaces: createGuestPlaces({ ...services, total: profile.guest_reads_at_once }),
    demo: createDemo({ ...services, accounts, projects }),
    annotations,
    contexts,
    readProject: createProjectReader({ ...services, projects, contexts, annotations }),
    portfolios: createPortfolioStore({ ...services, projects }),
    feedback: createFeedbackStore({ ...services, log, sink: feedbackSink }),
    deleteAccount: createAccountDeletion({ billing, accounts, projects, agentSessions, passkeys }),
  }
}

export type AccessStores = ReturnType<typeof createAccessStores>
