import { compareLinks, isAnonymous, type Link, type LinkRow } from '#core/identity/links/links'
import { publicLinkBytes } from '#core/identity/links/public-link-bytes'
import type { Refusal } from '#core/ingest/who-may-link'

/** A link that an identify request asks for. */
export type AskedLink = Link & { hasCredential: boolean }

/**
 * What the state knows of an id: where it leads, and whether identified ids lead to it although it is
 * anonymous.
 */
export type KnownId = {
  /** Null: it stands for itself. */
  to: string | null
  /** The id that the request linked it to. */
  user_id: string | null
  holdsIdentified: boolean
}

export type Decision = {
  accepted: LinkRow[]
  /** Anonymous ids that identified ids lead to from now on. */
  holders: string[]
  refused: { link: AskedLink; reason: Refusal }[]
  /** What the accepted links without a credential take of their bound, bytes. */
  publicBytes: number
}

/**
 * Decides which of the asked links count, in the order of their arrival. `known` has every id of the links
 * that the state knows, and every id that those lead to. A link that is asked for again is left out and not
 * refused. `room`: bytes that are left for links without a credential.
 */
export function decideLinks(
  scope: string,
  asked: readonly AskedLink[],
  known: ReadonlyMap<string, KnownId>,
  room = Number.POSITIVE_INFINITY,
): Decision {
  const next = new Map<string, string>()
  const firstLinks = new Map<string, string>()
  const holders = new Set<string>()
  const newHolders = new Set<string>()
  for (const [id, { to, user_id, holdsIdentified }] of known) {
    if (to !== null) next.set(id, to)
    if (user_id !== null) firstLinks.set(id, user_id)
    if (holdsIdentified) holders.add(id)
  }

  /** Follows the links from an id to the one that has none, and remembers the end for all ids on the way. */
  function findFinal(id: string): string {
    let final = id
    for (let to = next.get(final); to !== undefined; to = next.get(final)) final = to
    for (let at = id; at !== final; ) {
      const to = next.get(at) as string
      next.set(at, final)
      at = to
    }
    return final
  }

  const links: AskedLink[] = []
  const refused: Decision['refused'] = []
  let publicBytes = 0
  for (const link of asked.toSorted(compareLinks)) {
    const { previous_id, user_id, hasCredential } = link
    const first = firstLinks.get(previous_id)
    if (first === user_id) continue
    const final = findFinal(user_id)
    const reason = refusalOf()
    if (reason !== null) {
      refused.push({ link, reason })
      continue
    }
    if (!hasCredential) publicBytes += publicLinkBytes(link)
    next.set(previous_id, final)
    firstLinks.set(previous_id, user_id)
    if (isAnonymous(final) && (!isAnonymous(previous_id) || holders.has(previous_id))) {
      holders.add(final)
      newHolders.add(final)
    }
    links.push(link)

    function refusalOf(): Refusal | null {
      if (first !== undefined) return 'already_linked'
      if (final === previous_id) return 'loop'
      if (hasCredential) return null
      if (holders.has(previous_id)) return 'identified'
      return publicBytes + publicLinkBytes(link) > room ? 'no_room' : null
    }
  }
  const accepted = links.map(({ previous_id, user_id, at, seq }) => ({
    ...{ scope, previous_id, user_id, at, seq },
    linked_id: findFinal(previous_id),
  }))
  return { accepted, holders: [...newHolders].filter(id => !next.has(id)), refused, publicBytes }
}
