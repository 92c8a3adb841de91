import {
  BRANDS,
  CLICK_IDS,
  KNOWN_SOURCES,
  MEDIUMS,
  PAID_CHANNELS,
  PAID_MEDIUMS,
  WEAK_MEDIUMS,
} from '#core/reports/sources/known-sources'
import type { OwnSources } from '#core/reports/sources/name-sources'
import type { Channel } from '#schemas/channels'
import { byCodePoint, byPosition, countUsers, type OracleRequest, periodOf, ratioOf, sum } from './common.ts'
import type { SentEvent } from './sent-event.ts'
import { type OracleSession, oracleSessionList, pageOf } from './sessions.ts'

/** docs/api/sources.md, computed from its words and its table. */

export type Asked = Partial<
  Record<
    'referrer' | 'hostname' | 'click_id' | 'utm_source' | 'utm_medium' | 'utm_campaign' | 'utm_content',
    unknown
  >
>
type Named = { channel: Channel; source: string | null; referrer_host: string | null }

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)
const lowerOf = (value: unknown) => textOf(textOf(value)?.trim().toLowerCase())
const withoutWww = (host: string) => host.replace(/^(www\.)+(?=.)/, '')

function lookUp(text: string | null, isHost: boolean) {
  if (text === null) return null
  const labels = text.split('.')
  const brand = BRANDS.find(each => {
    const place = labels.indexOf(each)
    const [before, after] = [labels.slice(0, place), labels.slice(place + 1)]
    const isCountry = (label: string | undefined) => label !== undefined && /^[a-z]{2,}$/.test(label)
    const isEnding =
      (after.length === 1 && isCountry(after[0])) ||
      (after.length === 2 && ['co', 'com'].includes(after[0] ?? '') && isCountry(after[1]))
    return (
      place >= 0 &&
      isEnding &&
      before.every(label => ['m', 'search', 'images', 'lite'].includes(label) || /^[a-z]{2}$/.test(label))
    )
  })
  const keys = [
    text,
    ...(brand === undefined ? [] : [`${brand}.*`]),
    ...[1, 2].filter(n => isHost && labels.length - n >= 2).map(n => labels.slice(n).join('.')),
  ]
  const found = keys.flatMap(key => KNOWN_SOURCES.find(known => known.key === key) ?? [])
  return found[0] ?? null
}

/** The channel, source and host that the first event with a page says; null: the session has none. */
export function oracleSource(asked: Asked | null, { hosts, rules }: OwnSources): Named {
  if (asked === null) return { channel: 'server', source: null, referrer_host: null }
  const address = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/.exec(String(textOf(asked.referrer) ?? '').toLowerCase())
  const bare = address?.[1]?.split('@').at(-1)?.split(':')[0]
  const host = bare === undefined || bare === '' ? null : withoutWww(bare)
  const page = lowerOf(asked.hostname)
  const from = lookUp(host, true)
  const isPassage =
    host !== null &&
    (from?.kind === 'payment' ||
      host === (page === null ? null : withoutWww(page)) ||
      hosts.some(own => host === own || host.endsWith(`.${own}`)))
  const click = CLICK_IDS.find(({ id }) => id === asked.click_id)
  const utm = lowerOf(asked.utm_source)
  const named = utm === null ? (click?.source ?? null) : withoutWww(utm)
  const known = named === null ? (isPassage ? null : from) : lookUp(named, false)
  const medium = lowerOf(asked.utm_medium)
  const referrer_host = isPassage ? null : host
  const source = known?.name ?? named ?? referrer_host
  const channel = (): Channel => {
    const values = { ...asked, referrer_host }
    const own = rules.find(({ field, value }) => values[field] === value)
    if (own !== undefined) return own.channel
    if (click?.channel !== undefined) return click.channel
    const isPaid = medium !== null && (PAID_MEDIUMS.split(' ').includes(medium) || medium.startsWith('paid'))
    const paid = PAID_CHANNELS.find(([kind]) => isPaid && kind === known?.kind)
    if (paid !== undefined) return paid[1]
    if (known?.kind === 'ai_assistant') return 'ai_assistant'
    const byMedium = (mediums: object) =>
      Object.entries(mediums).find(([, words]) => medium !== null && words.split(' ').includes(medium))?.[0]
    const ofMedium = byMedium(MEDIUMS)
    if (ofMedium !== undefined) return ofMedium as Channel
    if (isPaid) return 'other'
    if (known !== null && known.kind !== 'payment') return known.kind
    const ofWeak = byMedium(WEAK_MEDIUMS)
    if (ofWeak !== undefined) return ofWeak as Channel
    if (referrer_host !== null) return 'referral'
    if (named !== null || medium !== null || textOf(asked.utm_campaign) !== null) return 'other'
    return host === null ? 'direct' : 'internal'
  }
  return { channel: channel(), source, referrer_host }
}

/** The properties of the first event of the session with a page; null without one. */
export function askedOf({ events }: OracleSession): Asked | null {
  const entry = events.toSorted(byPosition).find(event => pageOf(event) !== null)
  return entry === undefined ? null : ((entry.properties ?? {}) as Asked)
}

export function oracleSources(
  events: readonly SentEvent[],
  request: OracleRequest,
  asked: { by: string; goal?: string; currency?: string; limit: number },
  own: OwnSources,
) {
  const sessions = oracleSessionList(events, request).map(session => {
    const entry = askedOf(session)
    const named = oracleSource(entry, own)
    const values: Record<string, string | null> = {
      ...{ channel: named.channel, source: named.source, referrer: named.referrer_host },
      ...{ campaign: textOf(entry?.utm_campaign), content: textOf(entry?.utm_content) },
      landing_page: session.entryPage,
    }
    return { ...session, channel: named.channel, value: values[asked.by] ?? null }
  })
  const { goal, currency } = asked
  const numbersOf = (of: typeof sessions) => {
    const goals = of.flatMap(session => session.events.filter(({ event }) => event === goal))
    const currencyOf = ({ properties }: SentEvent) =>
      ['string', 'number', 'boolean'].includes(typeof properties?.currency)
        ? String(properties?.currency).toUpperCase()
        : ''
    const added = goals
      .filter(event => currency === undefined || currencyOf(event) === currency)
      .flatMap(event => {
        const value = event.properties?.value
        const number = typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
        return typeof number === 'number' ? [{ number, currency: currencyOf(event) }] : []
      })
    const currencies = [...new Set(added.map(each => each.currency))]
    const converted = of.filter(session => session.events.some(({ event }) => event === goal)).length
    const bounces = of.filter(({ isBounce }) => isBounce).length
    const views = of.flatMap(session => session.events.filter(({ event }) => event === 'page_view'))
    const total = sum(added.map(({ number }) => Math.round(number * 10)))
    return {
      sessions: of.length,
      people: countUsers(of.map(({ user }) => ({ user_id: user }) as SentEvent)),
      bounces,
      bounce_rate: ratioOf(bounces, of.length, 3),
      avg_duration: ratioOf(sum(of.map(({ start, end }) => end - start)), of.length, 0),
      avg_pages: ratioOf(views.length, of.length, 1),
      ...(goal !== undefined && {
        conversions: converted,
        conversion_rate: ratioOf(converted, of.length, 3),
        sum_value: currencies.length === 1 ? total / 10 : null,
        currency: currencies.length === 1 ? currencies[0] || null : null,
        ...(currencies.length > 1 && {
          by_currency: [...currencies.filter(each => each !== '').toSorted(byCodePoint), '']
            .filter(each => currencies.includes(each))
            .map(each => {
              const ofOne = added.filter(one => one.currency === each)
              const tenths = sum(ofOne.map(({ number }) => Math.round(number * 10)))
              return { currency: each || null, sum_value: tenths / 10 }
            }),
        }),
      }),
    }
  }
  const groups = [...Map.groupBy(sessions, ({ value }) => value)].toSorted(
    ([a, ofA], [b, ofB]) => ofB.length - ofA.length || (a === null ? 1 : b === null ? -1 : byCodePoint(a, b)),
  )
  const cut = groups.slice(asked.limit).map(([, of]) => of)
  const rest = numbersOf(cut.flat())
  return {
    project: request.project,
    period: periodOf(request),
    by: asked.by,
    goal: goal ?? null,
    total: numbersOf(sessions),
    rows: groups.slice(0, asked.limit).map(([value, of]) => {
      const channels = new Set(of.map(({ channel }) => channel))
      const hasChannel = asked.by === 'source' || asked.by === 'referrer'
      return {
        value,
        ...(hasChannel && { channel: channels.size === 1 ? of[0]?.channel : null }),
        ...numbersOf(of),
      }
    }),
    ...(cut.length > 0 && {
      other: {
        values: cut.length,
        sessions: rest.sessions,
        bounces: rest.bounces,
        ...(goal !== undefined && { conversions: rest.conversions }),
      },
    }),
  }
}
