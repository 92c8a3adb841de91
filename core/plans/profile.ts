export type Tier = 'free' | 'pro'

/** What a plan allows (docs/api/limits.md); -1 means that there is no limit. */
export type TierLimits = {
  max_events_per_month: number
  max_projects: number
  max_reads_per_month: number
  retention_days: number
  rate_limit_rpm: number
  /** Full website analyses in a UTC calendar month. */
  max_full_scans_per_month: number
}

export const PROFILE_NAMES = ['own', 'hosted'] as const
export type ProfileName = (typeof PROFILE_NAMES)[number]

export type Profile = {
  name: ProfileName
  tiers: Record<Tier, TierLimits>
  /** Requests of one project token a minute. */
  token_requests_per_minute: number
  /** Session starts of one address in 10 minutes, and as many starts of a browser sign-in. */
  session_starts: number
  /** Wrong secrets for one session from one network in 10 minutes, at the endpoints of the session flow. */
  session_failures: number
  /** Demo sessions of one address in an hour. */
  demo_sessions: number
  /** MCP clients that one address registers in an hour. */
  client_registrations: number
  /** MCP clients that all addresses together register in an hour (U149). */
  all_client_registrations: number
  /** Reads of one demo session in a minute (U65). */
  demo_reads_per_minute: number
  /** Reads of all demo sessions of one network in a minute. */
  demo_network_reads_per_minute: number
  /**
   * Statements by one share link from one network in a minute. A view of the dashboard takes up to forty: ten
   * reads of up to four.
   */
  share_statements_per_minute: number
  /** Statements by one share link in a minute. */
  share_link_statements_per_minute: number
  /**
   * Statements of a project in a UTC day by its share links and demo sessions together. A view that stays
   * open all day takes up to 50,000.
   */
  guest_statements_per_day: number
  /** Reads of share links and demo sessions that wait for the engine at the same time, of all projects. */
  guest_reads_at_once: number
  /** Website analyses of one address without an account in an hour. */
  anonymous_scans_per_hour: number
  /** Website analyses of an account in an hour. */
  account_scans_per_hour: number
  /** Exports of a project in a day. */
  exports_per_day: number
  /** Bytes that the replays of an account may have at once, and that may come in within 30 days. */
  replay_storage_bytes: number
  replay_ingestion_bytes: number
  /** Replays that one address may start in an hour, and all addresses together for one project. */
  replay_starts: number
  project_replay_starts: number
  /**
   * Open streams of guests of one network, and of all guests of an account: the visitors of the demo (U102).
   */
  guest_network_streams: number
  guest_streams: number
  /**
   * Open streams of an account, or of a demo session. This and the next four are limits of the machinery
   * (U44).
   */
  open_streams: number
  /** A stream ends after this time without a match. */
  stream_idle_minutes: number
  /** How long the live buffer keeps an event. */
  live_buffer_seconds: number
  /** How many events of a project live reads see, and how many bytes of them, as JSON (U103). */
  live_buffer_events: number
  live_buffer_bytes: number
  /**
   * Everybody may sign up; else listed addresses only. New accounts are complimentary Pro where sign-up is
   * not open.
   */
  open_sign_up: boolean
  has_payments: boolean
}

export const NO_LIMIT = -1
export const EVENTS_PER_UNIT = 10_000

const UNLIMITED: TierLimits = {
  max_events_per_month: NO_LIMIT,
  max_projects: NO_LIMIT,
  max_reads_per_month: NO_LIMIT,
  retention_days: NO_LIMIT,
  rate_limit_rpm: NO_LIMIT,
  max_full_scans_per_month: NO_LIMIT,
}

const OPEN = {
  demo_reads_per_minute: 60,
  demo_network_reads_per_minute: 600,
  share_statements_per_minute: 360,
  share_link_statements_per_minute: 1_800,
  // A statement of one machine costs some tens of milliseconds, and comes after those of its owner.
  guest_statements_per_day: 200_000,
  // The engine of one machine has turns for them (duckdb/reads/turns.ts).
  guest_reads_at_once: NO_LIMIT,
  // A network of an office with twenty open dashboards; what does not fit polls.
  guest_network_streams: 20,
  // Each may hold some MB of events that its client takes slowly. Five networks reach it.
  guest_streams: 100,
}

/**
 * The same where each statement is billed, as on AWS. A day's statements cost at most 5 dollars a project
 * with the figures of docs/cost.md, and each read that waits takes one of the account's executions. So does
 * an open stream: ten cost at most 4 dollars a day.
 */
export const BILLED = {
  share_statements_per_minute: 180,
  share_link_statements_per_minute: 600,
  guest_statements_per_day: 50_000,
  guest_reads_at_once: 10,
  guest_network_streams: 4,
  guest_streams: 10,
} satisfies Partial<Record<keyof typeof OPEN, number>>

const LIVE = {
  open_streams: 10,
  stream_idle_minutes: 30,
  live_buffer_seconds: 300,
  live_buffer_events: 10_000,
  // 10,000 usual events have less. A megabyte of the worst ones, with names that never repeat, takes 0.1 s.
  live_buffer_bytes: 4_000_000,
}

/**
 * What strangers may send as replays. A start reserves 2 MiB: 60 starts are 3 GB a day from one address, so
 * no address alone fills the storage within three days. The storage is a third of a disk of 30 GB, or about
 * 30,000 recordings of 300 KB; they go after 30 days, so it is enough for 1,000 a day. The starts of a
 * project bound its items in the state: 1,000 an hour are a quarter of what one page a second would start.
 */
const REPLAYS = {
  replay_starts: 60,
  project_replay_starts: 1_000,
  replay_storage_bytes: 10_000_000_000,
}

/**
 * A registration has up to 21 KB and lives for a day: 0.5 GB, however many addresses send them. An hour of a
 * busy service has some tens, one for each person who adds it to a chat.
 */
const STRANGERS = { all_client_registrations: 1_000 }

/**
 * Who installs it pays for it: no limits but those of what strangers may write, and the guards by address, at
 * ten times the numbers.
 */
const own: Profile = {
  name: 'own',
  tiers: { free: UNLIMITED, pro: UNLIMITED },
  token_requests_per_minute: NO_LIMIT,
  session_starts: 200,
  session_failures: 300,
  demo_sessions: 300,
  client_registrations: 100,
  ...STRANGERS,
  anonymous_scans_per_hour: 50,
  account_scans_per_hour: NO_LIMIT,
  // Each keeps a worker and the disk busy, also where nobody pays.
  exports_per_day: 24,
  // Whoever has the public token may send replays, so they are bounded here too.
  ...REPLAYS,
  replay_ingestion_bytes: NO_LIMIT,
  ...OPEN,
  ...LIVE,
  open_sign_up: false,
  has_payments: false,
}

const hosted: Profile = {
  name: 'hosted',
  tiers: {
    free: {
      max_events_per_month: 100_000,
      max_projects: 2,
      max_reads_per_month: 500,
      retention_days: 90,
      rate_limit_rpm: 10,
      max_full_scans_per_month: 3,
    },
    pro: { ...UNLIMITED, retention_days: 365, rate_limit_rpm: 1_000, max_full_scans_per_month: 30 },
  },
  token_requests_per_minute: 1_000,
  session_starts: 20,
  session_failures: 30,
  demo_sessions: 30,
  client_registrations: 10,
  ...STRANGERS,
  anonymous_scans_per_hour: 5,
  account_scans_per_hour: 20,
  exports_per_day: 5,
  ...REPLAYS,
  replay_ingestion_bytes: 20_000_000_000,
  ...OPEN,
  ...LIVE,
  open_sign_up: true,
  has_payments: true,
}

export const profiles: Record<ProfileName, Profile> = { own, hosted }

/** The numbers of a profile that are of no plan. */
export type Guard = {
  [Name in keyof Profile]: Profile[Name] extends number ? Name : never
}[keyof Profile]

const GUARDS = (Object.keys(own) as (keyof Profile)[]).filter(
  (name): name is Guard => typeof own[name] === 'number',
)
const TIER_LIMITS = Object.keys(UNLIMITED) as (keyof TierLimits)[]
/** Every number of a profile by the name that an override uses, such as `free.rate_limit_rpm`. */
export const OVERRIDABLE = [
  ...GUARDS,
  ...(['free', 'pro'] as const).flatMap(tier => TIER_LIMITS.map(limit => `${tier}.${limit}`)),
]

/** The numbers of the one plan of the profile `own`. */
const OF_OWN = TIER_LIMITS.map(limit => `own.${limit}`)

/**
 * A named profile with some numbers replaced: `free.rate_limit_rpm=1000,session_starts=500`. Throws an Error
 * that names what it cannot read, for the operator. `areReadsBilled`: each statement costs money.
 */
export function readProfile(name: ProfileName, overrides = '', { areReadsBilled = false } = {}): Profile {
  const profile = structuredClone({ ...profiles[name], ...(areReadsBilled && BILLED) })
  const overridable = name === 'own' ? [...OVERRIDABLE, ...OF_OWN] : OVERRIDABLE
  for (const override of overrides.split(',').filter(text => text.trim() !== '')) {
    const [path = '', value = ''] = override.split('=').map(text => text.trim())
    if (!overridable.includes(path) || !/^(-1|\d{1,12})$/.test(value)) {
      throw new Error(
        `must be a list such as free.rate_limit_rpm=1000,session_starts=500; ${JSON.stringify(override.trim())} is not one of ${overridable.join(', ')} with a whole number (-1: no limit)`,
      )
    }
    const [tier, limit] = path.split('.')
    if (limit === undefined) profile[path as Guard] = Number(value)
    else {
      // Under `own` there is one plan for everybody, so its name stands for both.
      const tiers = tier === 'own' ? (['free', 'pro'] as const) : [tier as Tier]
      for (const each of tiers) profile.tiers[each][limit as keyof TierLimits] = Number(value)
    }
  }
  return profile
}

/** The limits of an account: those of its tier. */
export function limitsOf(profile: Profile, account: { tier: Tier }): TierLimits {
  return profile.tiers[account.tier]
}
