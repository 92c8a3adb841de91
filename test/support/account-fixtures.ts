import type { Caller } from '#core/access/caller'
import type { Account } from '#core/accounts/account'
import type { Project } from '#core/projects/project'

/** Returns an account of the free plan. `overrides` replaces fields. */
export function testAccount(overrides: Partial<Account> = {}): Account {
  return {
    id: 'acc_1',
    email: 'owner@example.com',
    tier: 'free',
    complimentary: false,
    created_at: '2026-11-01T00:00:00.000Z',
    code_host_login: null,
    idp_name: null,
    browsers_since: 0,
    monthly_spend_cap_dollars: null,
    ...overrides,
  }
}

/** Returns a live project of `testAccount()`. `overrides` replaces fields. */
export function testProject(overrides: Partial<Project> = {}): Project {
  return {
    id: 'proj_1',
    account_id: 'acc_1',
    name: 'shop',
    project_token: 'aat_shop',
    allowed_origins: '*',
    link_domains: [],
    source_scan_id: null,
    timezone: null,
    display_name: null,
    retention_days: null,
    bucket: 17,
    has_event_ids: false,
    has_links: false,
    has_linked_anonymous_ids: false,
    portfolio_id: null,
    created_at: '2026-11-01T00:00:00.000Z',
    deleted_at: null,
    ...overrides,
  }
}

/** Returns a caller with an API key of `testAccount()` and all scopes. `overrides` replaces fields. */
export function testCaller(overrides: Partial<Caller> = {}): Caller {
  const account = overrides.account ?? testAccount()
  return {
    account,
    tier: account.tier,
    credential: { kind: 'api_key', id: 'key_1', label: null },
    scopes: 'all',
    ...overrides,
  }
}
