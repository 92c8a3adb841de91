import { isJsonObject } from '#core/text/json-object'
import type { Intent } from './findings.ts'
import { targetOf } from './targets.ts'

/** What a visitor wants who uses an action of https://schema.org/Action. */
const INTENT_OF_ACTION: Readonly<Record<string, Intent>> = {
  AskAction: 'post',
  BuyAction: 'buy',
  CommentAction: 'reply',
  CommunicateAction: 'contact',
  DonateAction: 'donate',
  DownloadAction: 'download',
  InstallAction: 'download',
  JoinAction: 'sign_up',
  ListenAction: 'play',
  OrderAction: 'buy',
  PreOrderAction: 'buy',
  QuoteAction: 'quote',
  RegisterAction: 'sign_up',
  RentAction: 'book',
  ReplyAction: 'reply',
  ReserveAction: 'book',
  ScheduleAction: 'book',
  SearchAction: 'search',
  SellAction: 'sell',
  SubscribeAction: 'subscribe',
}
/** Targets of one action that are read. */
const MAX_TARGETS = 10

/**
 * The addresses that an item of schema.org names for an action: its `target`, an address or an EntryPoint, or
 * several of them, and its `url`.
 */
export function addressesOfAction({ target, url }: Record<string, unknown>): string[] {
  return [target, url].flat().slice(0, MAX_TARGETS).flatMap(addressOf)
}

function addressOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (!isJsonObject(value)) return []
  return [value.urlTemplate, value.url]
    .flat()
    .slice(0, MAX_TARGETS)
    .filter(each => typeof each === 'string')
}

/** What the targets of links and forms are for, by the actions that the page declares. */
export type DeclaredActions = ReadonlyMap<string, Intent>

/**
 * The actions that a page declares. One that leads to the page itself, or to the first page of the site, says
 * nothing: every link there would be it.
 */
export function declaredActions(
  items: readonly { type: string; addresses: readonly string[] }[],
  pageUrl: string,
): DeclaredActions {
  const own = URL.parse(pageUrl)?.pathname
  const declared = new Map<string, Intent>()
  for (const { type, addresses } of items) {
    const intent = INTENT_OF_ACTION[type]
    if (intent === undefined) continue
    for (const address of addresses) {
      const { target } = targetOf(address, pageUrl)
      if (target !== null && target !== '/' && target !== own && !declared.has(target))
        declared.set(target, intent)
    }
  }
  return declared
}
