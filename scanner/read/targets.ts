import type { Intent } from './findings.ts'
import { intentOfService } from './services.ts'

/** What the part of a path between two slashes says about a page. */
const SEGMENTS: Partial<Record<Intent, string>> = {
  sign_up:
    'signup sign-up sign_up register registration registrieren join trial free-trial create-account inscription registro registrazione cadastro registreren rejestracja start get-started onboarding',
  log_in:
    'login log-in signin sign-in log_in anmelden connexion acceder entrar inloggen logowanie account my-account',
  checkout:
    'cart basket bag checkout warenkorb kasse panier carrito cesta carrello carrinho winkelwagen koszyk varukorg sepet',
  book: 'book rdv idopont randevu randevous cita citas book-online booking bookings reserve reservation reservations reservieren buchen termin reserver reserva prenota prenotazioni reservar reserveren afspraak rezerwacja boka randevu appointment appointments',
  contact: 'contact contact-us kontakt contacto contatti contato contactez-nous iletisim',
  pricing: 'pricing plans preise tarife tarifs precios prezzi precos prijzen tarieven cennik priser fiyatlar',
  demo: 'demo request-demo book-demo get-a-demo demo-request',
  docs: 'docs documentation doku dokumentation api-reference reference guide guides quickstart getting-started',
  download: 'download downloads herunterladen telecharger descargar scarica baixar downloaden pobierz',
  subscribe: 'newsletter subscribe abonnieren abonnement suscribirse',
  donate: 'donate donation spenden don donar dona doneren wesprzyj',
  search: 'search suche recherche buscar cerca pesquisa zoeken szukaj sok ara',
  sell: 'sell become-a-seller become-a-host list-your-place post-ad',
  apply: 'apply application bewerben postuler solliciteren',
  quote: 'quote get-a-quote devis presupuesto preventivo orcamento offerte wycena offert',
  post: 'new-topic ask ask-question new-post submit',
  view_work:
    'work works our-work projects portfolio case-studies projekte projets proyectos lavori trabalhos werk realizacje arbeten',
}

const INTENT_OF_SEGMENT: ReadonlyMap<string, Intent> = new Map(
  Object.entries(SEGMENTS).flatMap(([intent, segments]) =>
    segments.split(' ').map(segment => [segment, intent as Intent] as const),
  ),
)

export type Target = {
  intent: Intent | null
  /** A path of the site, or an address of another one without query and fragment; null: neither. */
  target: string | null
  isExternal: boolean
}

/**
 * Google in each country: `google.de`, `google.co.uk`. Its end is short, because a pattern without a
 * bound there takes quadratic time for a host such as `google.google.google`.
 */
const GOOGLE = /(^|\.)google\.[a-z]{2,3}(\.[a-z]{2})?$/
/** Longest address that is looked at, characters. */
const MAX_HREF_CHARS = 2_048

/** Where a link of a page leads, and what that says about it. */
export function targetOf(href: string | undefined, pageUrl: string): Target {
  const none: Target = { intent: null, target: null, isExternal: false }
  const text = (href ?? '').trim().slice(0, MAX_HREF_CHARS)
  if (/^mailto:/i.test(text)) return { ...none, intent: 'contact' }
  if (/^tel:/i.test(text)) return { ...none, intent: 'call' }
  if (text === '' || text.startsWith('#') || /^(javascript|data|blob|about):/i.test(text)) return none
  const url = URL.parse(text, pageUrl)
  const page = URL.parse(pageUrl)
  if (url === null || page === null || !/^https?:$/.test(url.protocol)) return none
  const isExternal = siteOf(url.hostname) !== siteOf(page.hostname)
  if (isExternal) {
    const intent = intentOfService(url)
    const isMap = GOOGLE.test(url.hostname) && url.pathname.startsWith('/maps')
    const target = `${url.origin}${url.pathname}`
    return { intent: intent ?? (isMap ? 'directions' : null), target, isExternal: true }
  }
  return { intent: intentOfPath(url.pathname), target: url.pathname, isExternal: false }
}

/** What the last part of a path says: `/en/pricing.html` is a page of prices. */
export function intentOfPath(path: string): Intent | null {
  const segments = path.toLowerCase().split('/').filter(Boolean)
  const last = segments.at(-1)?.replace(/\.(html?|php|aspx?)$/, '')
  if (last === undefined || segments.length > 3) return null
  if (/^(list|rent-out|sell)-your-/.test(last)) return 'sell'
  return INTENT_OF_SEGMENT.get(last) ?? null
}

/**
 * Subdomains are one site here: the app of `example.com` is on `app.example.com`. Short second parts such as
 * those of `example.co.uk` belong to the registry.
 */
function siteOf(hostname: string): string {
  const labels = hostname.split('.')
  const isRegistry = /^(?:[a-z]{2,3})$/.test(labels.at(-2) ?? '') && /^[a-z]{2}$/.test(labels.at(-1) ?? '')
  return labels.slice(isRegistry ? -3 : -2).join('.')
}
