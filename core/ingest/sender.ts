import type { Caller } from '#core/access/caller'

/** Who sends events, as far as the rules of ingestion look at it. */
export type Sender = {
  /** The header Origin. Only browsers send it. */
  origin: string | undefined
  /** The header User-Agent. */
  userAgent: string | undefined
  /** The header Sec-CH-UA: the brands of a browser of Chromium. */
  brands: string | undefined
  /** The header Sec-CH-UA-Mobile: whether the browser is one of a phone. */
  isMobile: boolean
  /** The header Sec-CH-UA-Platform: the system. */
  platform: string | undefined
  /** The country that a proxy has found, in the header that the settings name. */
  proxyCountry: string | undefined
  /** Looked up for the country, never stored. */
  ip: string | null
  /**
   * Whose credential the request also carries, by the state table. undefined: it carries none. null: it
   * carries one that is unknown, expired or revoked.
   */
  findCaller(): undefined | Promise<Caller | null>
}
