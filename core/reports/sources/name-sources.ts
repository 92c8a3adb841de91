import type { SqlQuery } from '#core/ports'
import { filterSql, textField } from '#core/reports/sql/filters'
import { join, sql, trustedSql } from '#core/sql/sql'
import type { ChannelRule } from '#schemas/contexts'
import {
  BRANDS,
  CLICK_IDS,
  KNOWN_SOURCES,
  MEDIUMS,
  PAID_CHANNELS,
  PAID_MEDIUMS,
  WEAK_MEDIUMS,
} from './known-sources.ts'

/** What a project knows about its own visitors. */
export type OwnSources = {
  /** Host names of its own pages: they are never a source, nor are their subdomains. */
  hosts: readonly string[]
  /** Its own rules, which come before all others. */
  rules: readonly ChannelRule[]
}

/**
 * The rows of a relation with `has_page` and ASKED_COLUMNS, and with what these say: referrer_host, source
 * and channel (docs/api/sources.md). One rule after the other, and the first that fits decides.
 */
export function nameSources(asked: SqlQuery, own: OwnSources): SqlQuery {
  const host = (column: SqlQuery) => sql`nullif(regexp_extract(lower(${column}), ${HOST}), '')`
  const isOwn = ownHosts(own.hosts)
  return sql`(WITH known_source (known_key, known_name, known_kind) AS (VALUES ${KNOWN_ROWS}),
      known_medium (medium_key, medium_form, medium_channel) AS (VALUES ${MEDIUM_ROWS})
    SELECT *, ${sourceName} AS source, ${channel(own.rules)} AS channel
    FROM (SELECT *, CASE WHEN is_passage = 0 THEN from_host END AS referrer_host, ${KIND} AS kind,
        CASE WHEN medium_form = 'paid' OR starts_with(medium, 'paid') THEN 1 ELSE 0 END AS is_paid
      FROM (SELECT *, CASE WHEN from_kind = 'payment' OR from_host = page_host OR ${isOwn} THEN 1 ELSE 0 END AS is_passage
        FROM (SELECT wanted_source.*, ${known('known_name', 'named')} AS named_source,
            ${known('known_kind', 'named')} AS named_kind, ${known('known_kind', 'host')} AS from_kind,
            ${known('known_name', 'host')} AS from_source, medium_form, medium_channel
          FROM (SELECT *, ${candidates('host', sql`from_host`)}, ${candidates('named', sql`named_text`)}
            FROM (SELECT *, ${host(sql`referrer`)} AS from_host,
                nullif(regexp_extract(lower(hostname), ${BARE_HOST}), '') AS page_host,
                nullif(lower(trim(utm_medium)), '') AS medium,
                coalesce(nullif(regexp_extract(lower(trim(utm_source)), ${BARE_HOST}), ''), ${CLICK_SOURCE}) AS named_text,
                ${CLICK_CHANNEL} AS click_channel
              FROM ${asked} AS asked_source) AS hosted_source) AS wanted_source
          ${joinKnown('host')}${joinKnown('named')} LEFT JOIN known_medium ON medium_key = medium) AS known_asked) AS passed_source) AS hosted_row)`
}

/**
 * The host of an address, and a host itself, without `www.`. A pattern may have no question mark, which would
 * be a parameter.
 */
const HOST = trustedSql("'^[a-z][a-z0-9+.-]*://([^/@]*@)*(www[.])*([^/:#@ \\x3f]+)', 3")
const BARE_HOST = trustedSql("'^(www[.])*(.+)$', 2")

/**
 * The keys by which a host is known: itself, a brand, and without its first labels. A name has the first two.
 */
function candidates(form: Form, text: SqlQuery): SqlQuery {
  const dot = trustedSql("'.'")
  const tail = (of: SqlQuery) => sql`substr(${of}, strpos(${of}, ${dot}) + 1)`
  const shorter = (of: SqlQuery) => sql`CASE WHEN strpos(${tail(of)}, ${dot}) > 0 THEN ${tail(of)} END`
  const brand = sql`nullif(regexp_extract(${text}, ${BRAND_HOST}), '') || '.*'`
  const keys = [text, brand, shorter(text), shorter(tail(text))].slice(0, STEPS[form])
  return join(
    keys.map((key, step) => sql`${key} AS ${trustedSql(`${form}_key_${step}`)}`),
    ', ',
  )
}

type Form = 'host' | 'named'
/** How many of the keys are looked up: a referrer has a host, and a campaign names its source. */
const STEPS = { host: 4, named: 2 } as const satisfies Record<Form, number>

/** A brand's search page or its app, and no other service of the brand, such as docs.google.com. */
const BRAND_HOST = trustedSql(
  `'^((m|search|images|lite|[a-z][a-z])[.])*(${BRANDS.join('|')})[.](com[.]|co[.])*[a-z][a-z][a-z]*$', 3`,
)

function joinKnown(form: Form): SqlQuery {
  return join(
    stepsOf(form).map(step => {
      const alias = trustedSql(`${form}_known_${step}`)
      return sql` LEFT JOIN known_source AS ${alias} ON ${alias}.known_key = ${trustedSql(`${form}_key_${step}`)}`
    }),
    '',
  )
}

function stepsOf(form: Form): number[] {
  return Array.from({ length: STEPS[form] }, (_, step) => step)
}

function known(column: 'known_name' | 'known_kind', form: Form): SqlQuery {
  return sql`coalesce(${join(
    stepsOf(form).map(step => trustedSql(`${form}_known_${step}.${column}`)),
    ', ',
  )})`
}

/** Whether the referrer is a page of the project. */
function ownHosts(hosts: readonly string[]): SqlQuery {
  const each = hosts.map(host => {
    const ending = `.${host}`
    return sql`from_host = ${host} OR substr(from_host, length(from_host) - ${trustedSql(String(ending.length))} + 1) = ${ending}`
  })
  return each.length === 0 ? sql`false` : sql`(${join(each, ' OR ')})`
}

const IS_TAGGED = sql`(named_text IS NOT NULL OR medium IS NOT NULL OR nullif(utm_campaign, '') IS NOT NULL)`

/** The name of the source: the known one, else the campaign's own, else the host. */
const sourceName = sql`CASE WHEN has_page = 0 THEN NULL
      ELSE coalesce(named_source, named_text, CASE WHEN is_passage = 0 THEN coalesce(from_source, from_host) END) END`

/** What is known about the source: by the campaign if it names one, else by the referrer. */
const KIND = sql`CASE WHEN named_text IS NOT NULL THEN named_kind WHEN is_passage = 0 THEN from_kind END`

function channel(rules: readonly ChannelRule[]): SqlQuery {
  const own = rules.map(
    rule =>
      sql`WHEN ${filterSql(textField(RULE_FIELDS[rule.field]), rule.op, rule.value)} THEN ${channelText(rule.channel)}`,
  )
  const paid = PAID_CHANNELS.map(([kind, each]) => sql`WHEN ${channelText(kind)} THEN ${channelText(each)}`)
  const whens = [
    ...[sql`WHEN has_page = 0 THEN 'server'`, ...own, sql`WHEN click_channel IS NOT NULL THEN click_channel`],
    sql`WHEN is_paid = 1 AND kind IN (${texts(PAID_CHANNELS.map(([kind]) => kind))}) THEN CASE kind ${join(paid, ' ')} END`,
    sql`WHEN kind = 'ai_assistant' THEN kind`,
    sql`WHEN medium_form = 'strong' THEN medium_channel`,
    sql`WHEN is_paid = 1 THEN 'other'`,
    sql`WHEN kind IS NOT NULL AND kind <> 'payment' THEN kind`,
    sql`WHEN medium_form = 'weak' THEN medium_channel`,
    sql`WHEN from_host IS NOT NULL AND is_passage = 0 THEN 'referral'`,
    sql`WHEN ${IS_TAGGED} THEN 'other'`,
    sql`WHEN from_host IS NOT NULL THEN 'internal'`,
  ]
  return sql`CASE ${join(whens, '\n        ')} ELSE 'direct' END`
}

/** The fields that a project's own rule may ask. */
const RULE_FIELDS = {
  referrer_host: sql`referrer_host`,
  utm_source: sql`utm_source`,
  utm_medium: sql`utm_medium`,
  utm_campaign: sql`utm_campaign`,
  click_id: sql`click_id`,
} as const satisfies Record<ChannelRule['field'], SqlQuery>

const CLICK_SOURCE = ofClick('source')
const CLICK_CHANNEL = ofClick('channel')

/** What the name of a click id says. */
function ofClick(what: 'source' | 'channel'): SqlQuery {
  const whens = CLICK_IDS.flatMap(({ id, [what]: text }) =>
    text === undefined ? [] : `WHEN '${id}' THEN '${text}'`,
  )
  return sql`CASE click_id ${trustedSql(whens.join(' '))} END`
}

/** Values of utm_medium: what each says, and how much beside the source. */
const MEDIUM_ROWS = trustedSql(
  [
    ...PAID_MEDIUMS.split(' ').map(medium => `('${medium}', 'paid', '')`),
    ...rowsOf('strong', MEDIUMS),
    ...rowsOf('weak', WEAK_MEDIUMS),
  ].join(', '),
)

function rowsOf(form: 'strong' | 'weak', mediums: typeof MEDIUMS): string[] {
  return Object.entries(mediums).flatMap(([each, words]) =>
    words.split(' ').map(medium => `('${medium}', '${form}', '${each}')`),
  )
}

const KNOWN_ROWS = trustedSql(
  KNOWN_SOURCES.map(({ key, name, kind }) => `('${key}', '${name}', '${kind}')`).join(', '),
)

function channelText(each: string): SqlQuery {
  return trustedSql(`'${each}'`)
}

function texts(all: readonly string[]): SqlQuery {
  return trustedSql(all.map(text => `'${text}'`).join(', '))
}
